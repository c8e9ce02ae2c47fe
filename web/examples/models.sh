#!/bin/sh
# Writes the models for the examples: models.sh PROGRAM, where PROGRAM is the limber binary.
set -e
folder=$(dirname "$0")/public/models
mkdir -p "$folder"
for name in cow flower; do
    "$1" sample "$name" -o "$folder/$name.glb" >/dev/null
done
