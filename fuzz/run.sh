#!/usr/bin/env bash
# Fuzzes for a while from a fresh corpus: run.sh SEEDS_PROGRAM FUZZ_PROGRAM SECONDS. A crash leaves its input in the
# current folder.
set -euo pipefail
corpus=$(mktemp -d)
trap 'rm -rf "$corpus"' EXIT
"$1" "$corpus"
"$2" -max_total_time="$3" -timeout=10 -rss_limit_mb=2048 -max_len=65536 -print_final_stats=1 -verbosity=0 "$corpus"
