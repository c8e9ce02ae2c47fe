#!/usr/bin/env bash
# bakes.sh LIMBER [FILE...]: how much faster `limber apply` bakes on several threads than on one, best of three runs that
# take turns. Without files: the sample characters dancer and cow. On an idle machine.
set -euo pipefail
limber=$(realpath "$1")
shift
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
files=("$@")
if [ ${#files[@]} = 0 ]; then
    for name in dancer cow; do
        "$limber" sample $name -o "$folder/$name.glb"
        files+=("$folder/$name.glb")
    done
fi
counts=(1)
for count in 2 4 8 16 32; do [ "$count" -le "$(nproc)" ] && counts+=("$count"); done

milliseconds() { # file, threads, options...
    local file=$1 threads=$2 before after
    shift 2
    rm -f "$folder/out.glb" # to replace a large file takes time, too
    before=$(date +%s%N)
    "$limber" apply "$file" --style cartoon "$@" --threads "$threads" -o "$folder/out.glb" --quiet
    after=$(date +%s%N)
    echo $(((after - before) / 1000000))
}

measure() { # file, options...
    local file=$1 best=() i took
    shift
    for _ in 1 2 3; do
        for i in "${!counts[@]}"; do
            took=$(milliseconds "$file" "${counts[$i]}" "$@")
            [ -n "${best[$i]:-}" ] && [ "${best[$i]}" -le "$took" ] || best[$i]=$took
        done
    done
    printf '| %s | %s |' "$(basename "$file" .glb)" "$*"
    for i in "${!counts[@]}"; do
        awk -v one="${best[0]}" -v took="${best[$i]}" 'BEGIN { printf " %.2f s, %.2f |", took / 1000, one / (took ? took : 1) }'
    done
    echo
}

printf '| character | bake |'
for count in "${counts[@]}"; do printf ' %s threads |' "$count"; done
printf '\n|---|---|'
for count in "${counts[@]}"; do printf -- '---:|'; done
echo
for file in "${files[@]}"; do
    measure "$file" --bake corrective
    measure "$file" --bake corrective --tolerance 1
    measure "$file" --bake bones
    measure "$file" --bake auto
done
