#!/bin/sh
# Fuzzes every target, or the ones named, for so many seconds each (600), two at a time. Needs a nightly compiler and
# cargo-fuzz. Findings are left in artifacts/.
set -eu
cd "$(dirname "$0")"
seconds=${SECONDS_EACH:-600}
[ $# -gt 0 ] || set -- claim_file trace hook_payload shell target patch
# The host's name in full: the program's own configuration names it in a form that cargo-fuzz does not understand.
host=$(rustc -vV | sed -n 's/^host: //p')
cargo +nightly fuzz build --target "$host"
mkdir -p logs
run() {
    mkdir -p "corpus/$1" "artifacts/$1"
    case $1 in
        hook_payload) seeds=../tests/fixtures/payloads ;;
        *) seeds=seeds/$1 ;;
    esac
    "target/$host/release/$1" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=8192 -print_final_stats=1 \
        -artifact_prefix="artifacts/$1/" "corpus/$1" "$seeds" >"logs/$1" 2>&1 || echo "$1: see fuzz/logs/$1"
}
while [ $# -gt 0 ]; do
    run "$1" &
    if [ $# -gt 1 ]; then
        run "$2" &
        shift
    fi
    shift
    wait
done
grep -h -E 'number_of_executed_units|peak_rss' logs/* /dev/null
