#!/usr/bin/env bash
# Fuzzes for a while: run.sh SEEDS_PROGRAM FUZZ_PROGRAM SECONDS. It starts from what the seeds program writes and from
# fuzz/corpus/NAME, with the words in fuzz/words/NAME.dict. The random seed is fixed, so that a test run says something
# about the change and not about luck. A crash leaves its input in the current folder.
#
# ./dev fuzz hunts: it sets LIMBER_FUZZ_SEED to something else, and LIMBER_FUZZ_KEEP to a folder where new inputs stay.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
name=$(basename "$2")
corpus=$(mktemp -d)
trap 'rm -rf "$corpus"' EXIT
"$1" "$corpus"
[ -d "$here/corpus/$name" ] && cp "$here/corpus/$name/"* "$corpus/"
folders=("$corpus")
if [ -n "${LIMBER_FUZZ_KEEP:-}" ]; then
    mkdir -p "$LIMBER_FUZZ_KEEP/$name"
    folders=("$LIMBER_FUZZ_KEEP/$name" "$corpus")
fi
length=65536
options=()
case $name in # what is never longer gets through more often
fuzz_decimal | fuzz_expression | fuzz_studio | fuzz_uri) length=512 ;;
# Any bytes make a character: few will do, and how rare a branch is says little. They look for leaks themselves.
fuzz_rig | fuzz_writers | fuzz_crowd | fuzz_live)
    length=1024
    options=(-entropic=0 -detect_leaks=0)
    export ASAN_OPTIONS=detect_leaks=0
    ;;
esac
words=()
[ -f "$here/words/$name.dict" ] && words=(-dict="$here/words/$name.dict")
"$2" -seed="${LIMBER_FUZZ_SEED:-1}" -max_total_time="$3" -timeout=300 -rss_limit_mb=2048 -max_len="$length" \
    -print_final_stats=1 -verbosity=0 "${options[@]}" "${words[@]}" "${folders[@]}"
