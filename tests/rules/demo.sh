#!/bin/sh
# Builds limber_demo as ./dev run does in a bare checkout, and runs its commands.
# Usage: demo.sh SOURCE_FOLDER BUILD_FOLDER
set -eu
cmake -G Ninja -S "$1" -B "$2" -DCMAKE_BUILD_TYPE=Release -DLIMBER_TESTS=OFF -DLIMBER_EXAMPLES=OFF >/dev/null
cmake --build "$2" --target limber_demo >/dev/null
cd "$2"
./limber_demo sample dog -o dog.glb
./limber_demo apply dog.glb --style cartoon -o dog-cartoon.glb --quiet
./limber_demo render dog.glb --style cartoon --clip jump --range 0.3:0.5 --yaw 50 --ink --sheet 2 --compare -o jump.png
./limber_demo render dog.glb --style cartoon --clip jump --range 0.3:0.4 --fps 24 --yaw 50 --ink --compare -o jump.mp4
for file in dog-cartoon.glb jump.png jump.mp4; do
    [ -s "$file" ]
done
