#!/usr/bin/env bash
# How much of the library the fuzzers reach: coverage.sh [KEPT [TARGET...]]. Replays the seeds, fuzz/corpus and the inputs
# that ./dev fuzz kept (KEPT, build-asan/found/kept unless told otherwise) with clang's coverage, and prints the branches
# and lines of src/ and io/ that ran. Some targets only: those named.
set -euo pipefail
cd "$(dirname "$0")/.."
kept=$(realpath -m "${1:-build-asan/found/kept}")
shift || true
build=build-coverage
export LLVM_PROFILE_FILE=/dev/null # programs that the build runs
cmake --fresh -S . -B "$build" -G Ninja -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_BUILD_TYPE=None -DLIMBER_FUZZ=ON -DLIMBER_RENDER=OFF \
    -DLIMBER_STUDIO=OFF -DLIMBER_TESTS=OFF -DCMAKE_EXE_LINKER_FLAGS=-fsanitize=address \
    -DCMAKE_C_FLAGS="-O1 -fprofile-instr-generate -fcoverage-mapping" >/dev/null
names=${*:-$(cut -d' ' -f1 "$build/fuzzers.txt")}
seeds=$(for name in $names; do sed -n "s|^$name .*/||p" "$build/fuzzers.txt"; done | sort -u)
cmake --build "$build" -j "$(nproc)" --target $names $seeds >/dev/null
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
objects=()
while read -r name seeds; do
    [ $# = 0 ] || [[ " $* " == *" $name "* ]] || continue
    mkdir "$work/$name"
    "$seeds" "$work/$name"
    folders=("$work/$name")
    for folder in "fuzz/corpus/$name" "$kept/$name"; do
        [ -d "$folder" ] && folders+=("$folder")
    done
    LLVM_PROFILE_FILE="$work/$name.%p.raw" "$build/$name" -runs=0 -detect_leaks=0 "${folders[@]}" >"$work/said" 2>&1 ||
        echo "$name ended early" >&2
    objects+=(-object "$build/$name")
done <"$build/fuzzers.txt"
find_tool() { command -v "$1" || command -v "$1-14"; }
"$(find_tool llvm-profdata)" merge -sparse "$work"/*.raw -o "$work/all.profdata"
"$(find_tool llvm-cov)" report "${objects[@]:1}" -instr-profile="$work/all.profdata" 2>/dev/null |
    awk '$1 ~ /^(src|io)\// {
        split($1, at, "/"); branches[at[1]] += $(NF - 2); missed[at[1]] += $(NF - 1)
    } END { for (side in branches) printf "%s: %.1f %% of %d branches\n", side, 100 - 100 * missed[side] / branches[side], branches[side] }'
