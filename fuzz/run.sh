#!/usr/bin/env bash
# Fuzzes for a while from a fresh corpus: run.sh SEEDS_PROGRAM FUZZ_PROGRAM SECONDS. A crash leaves its input in the
# current folder. The random seed is fixed, so that a test run says something about the change and not about luck; for
# a hunt, set LIMBER_FUZZ_SEED to something else and the seconds to an hour.
set -euo pipefail
corpus=$(mktemp -d)
trap 'rm -rf "$corpus"' EXIT
"$1" "$corpus"
"$2" -seed="${LIMBER_FUZZ_SEED:-1}" -max_total_time="$3" -timeout=300 -rss_limit_mb=2048 -max_len=65536 \
    -print_final_stats=1 -verbosity=0 "$corpus"
