#!/usr/bin/env bash
# Counts the instructions that the work on a vertex takes, for each set of effects on the cow, and compares them with the
# figures in instructions.json; with LIMBER_TEST_LONG those on a member of a crowd of cows in a preset, too. Counts do not
# depend on what else a machine does, so a change of a few percent shows.
#   bench/instructions.sh PROGRAM            fails when a count grew by more than 10 %
#   bench/instructions.sh PROGRAM --record   writes the figures of this architecture and compiler
# PROGRAM is limber_count of a Release build. Exits with 77 (skipped) where there is nothing to compare with.
set -euo pipefail

program=$1
figures=$(dirname "$0")/instructions.json
command -v valgrind >/dev/null || { echo "skipped: valgrind is not installed"; exit 77; }

members=()
[ -z "${LIMBER_TEST_LONG:-}" ] && [ "${2:-}" != --record ] || members=(members)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
if ! valgrind --tool=callgrind --instr-atstart=no --callgrind-out-file="$folder/out" \
        "$program" "${members[@]}" >"$folder/said" 2>"$folder/valgrind"; then
    cat "$folder/valgrind" >&2
    exit 1
fi
build=$(sed -n 's/^build //p' "$folder/said")
vertices=$(sed -n 's/^vertices //p' "$folder/said")
member_count=$(sed -n 's/^members //p' "$folder/said")

# "SET COUNT-PER-VERTEX" or "member:PRESET COUNT-PER-MEMBER", in the order of the sets
awk -v vertices="$vertices" -v members="$member_count" '/^desc: Trigger: Client Request: / { set = $5 }
    /^totals: / && set { printf "%s %.1f\n", set, $2 / (set ~ /^member:/ ? members : vertices); set = "" }' \
    $(ls "$folder"/out.* | sort -V) >"$folder/counts"
[ -s "$folder/counts" ] || { echo "valgrind counted nothing" >&2; exit 1; }

if [ "${2:-}" = --record ]; then
    row=$(awk '{ printf "%s\"%s\": %s", (NR > 1 ? ", " : ""), $1, $2 }' "$folder/counts")
    { grep '^  "' "$figures" 2>/dev/null | grep -v "^  \"$build\":" | sed 's/,$//' || true; echo "  \"$build\": {$row}"; } |
        sort | sed '$!s/$/,/; 1i {
$a }' >"$folder/figures"
    cp "$folder/figures" "$figures"
    echo "$build: {$row}"
    exit 0
fi

row=$(grep -s "^  \"$build\":" "$figures" || true)
[ -n "$row" ] || { echo "skipped: no figures for $build; bench/instructions.sh $program --record writes them"; exit 77; }
awk -v build="$build" -v row="$row" '
    BEGIN { printf "instructions per vertex or member, %s\n%-17s %9s %9s\n", build, "set", "recorded", "now" }
    {
        known = match(row, "\"" $1 "\": [0-9.]+") ? substr(row, RSTART + length($1) + 4, RLENGTH - length($1) - 4) + 0 : 0
        if (!known) { printf "%-17s %9s %9.1f\n", $1, "not yet", $2; next }
        grown = 100 * ($2 / known - 1)
        printf "%-17s %9.1f %9.1f  %+.1f %%%s\n", $1, known, $2, grown, (grown > 10 ? "  too much" : "")
        bad += grown > 10
        better += grown < -10
    }
    END {
        if (bad) print "a kernel needs more instructions than recorded; if that is intended, record the new figures in the same commit:"
        else if (better) print "fewer than recorded: record them, so that the gain is kept:"
        if (bad || better) print "  bench/instructions.sh build/limber_count --record"
        exit bad > 0
    }' "$folder/counts"
