#!/bin/sh
# Makes the models of the examples: models.sh PROGRAM, where PROGRAM is the command limber.
set -e
folder=$(dirname "$0")/public/models
mkdir -p "$folder"
for name in cow flower; do
    "$1" sample "$name" -o "$folder/$name.glb" >/dev/null
done
