#!/bin/sh
# Runs examples on built-in characters and looks at what they make.
# Usage: test.sh LIMBER FOLDER_OF_EXAMPLES NAME...
# LIMBER_SHADERS is the folder of limber_deform.glsl, for own_engine.
set -eu
limber=$1 folder=$2
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
    echo "$*" >&2
    exit 1
}
sample() {
    "$limber" sample "$1" -o "$work/$1.glb" >/dev/null
}
files() { # PATTERN
    find "$work" -name "$1" | wc -l
}

play() {
    sample cow
    "$folder/play" "$work/cow.glb" cartoon "$work/frame"
    [ "$(files 'frame-*.obj')" = 29 ] || fail "a walk of 1.2 s has 29 frames at 24 per second"
    [ "$(grep -c '^v ' "$work/frame-000.obj")" = 3218 ] && [ "$(grep -c '^f ' "$work/frame-000.obj")" = 6220 ] ||
        fail "frame-000.obj is not the whole cow"
    cmp -s "$work/frame-000.obj" "$work/frame-010.obj" && fail "the cow does not move"
    ! "$folder/play" "$work/cow.glb" cartoony "$work/frame" 2>"$work/said" && grep -q "'cartoon'" "$work/said" ||
        fail "no suggestion for an unknown preset"
}

# Swings while it is shaken, and comes to rest.
live() {
    sample giraffe
    "$folder/live" "$work/giraffe.glb" jelly Neck1 >"$work/said"
    awk '$1 < 2 && $5 > most { most = $5 } { last = $5 } END { exit !(most > 5 && last < 0.2) }' "$work/said" ||
        fail "the giraffe does not swing, or never comes to rest: $(tail -1 "$work/said")"
}

threads() {
    sample cow
    "$folder/threads" "$work/cow.glb" cartoon 4 | grep "same with 1 and 4 threads"
}

crowd() {
    sample cow
    "$folder/crowd" "$work/cow.glb" cartoon 200 >"$work/said"
    [ "$(grep -c "200 members" "$work/said")" = 4 ] || fail "not four frames"
    awk '$5 > 170 { exit 1 }' "$work/said" || fail "members do not share moments, or far ones are not spared"
}

# As `limber apply` does it.
bake() {
    sample cylinder
    "$folder/bake" "$work/cylinder.glb" cartoon "$work/baked.glb" 2>/dev/null
    "$limber" apply "$work/cylinder.glb" --style cartoon -o "$work/applied.glb" --quiet
    cmp "$work/baked.glb" "$work/applied.glb" || fail "not what limber apply writes"
}

# Its spin can go into its texture.
beach_ball() {
    "$folder/beach_ball" "$work/ball.glb"
    "$limber" apply "$work/ball.glb" --set smear.spin=texture --quiet -o "$work/out.gltf"
    grep -q baseColorTexture/extensions/KHR_texture_transform/offset "$work/out.gltf" || fail "the texture does not move"
}

own_effect() {
    sample cow
    "$folder/own_effect" "$work/cow.glb" "$work/out.obj"
    [ "$(files 'out.*.obj')" = 24 ] || fail "24 frames expected"
}

# The program compares the GPU with the CPU itself.
own_engine() {
    for character in cow dancer; do
        sample $character
        status=0
        "$folder/own_engine" "$work/$character.glb" cartoon 0.4 "$LIMBER_SHADERS/limber_deform.glsl" "$work/out.ppm" || status=$?
        [ $status = 3 ] && return # no graphics here; it said so
        [ $status = 0 ] || fail "$character: own_engine ended with $status"
        shades=$(tail -c +16 "$work/out.ppm" | od -An -v -tx1 -w3 | sort -u | wc -l)
        [ "$shades" -gt 50 ] || fail "$character: a picture of $shades shades"
    done
}

for name; do
    "$name"
    echo "$name: fine"
done
