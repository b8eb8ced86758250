#!/bin/sh
# What claim is measured against: what its verbs do, as one would write it in a shell: paths and names, overlap, the lock,
# the same file, proved by reading it back, and a line in the trace. Names are told apart less well, and nothing is done
# about links, damage, queues, groups and signals. Usage: baseline.sh take|beat|release|guard TARGET [PURPOSE]
set -eu
place=${CLAIM_DIR:?} holder=${CLAIM_HOLDER:?} ttl=900 verb=$1 target=${2:-} purpose=${3:-} covered=false
claims=$place/claims
now=$(date -u +%Y-%m-%dT%H:%M:%SZ)

case $target in . | .. | ./* | ../* | /*) target=$(realpath -m -- "$target") ;; esac
stem=$(printf %s "$target" | tr '[:upper:]' '[:lower:]' | tr -cs 'a-z0-9' '-')
case $target in /*) stem=$stem.$(printf %s "$target" | cksum | cut -d ' ' -f 1) ;; esac
file=$claims/$stem.json

field() { sed -n "s/^  \"$1\": \"\(.*\)\",\{0,1\}\$/\1/p" "$2"; }
age() { echo $(($(date +%s) - $(date -d "$(field heartbeat_at "$1")" +%s))); }
mine() { [ -e "$file" ] && [ "$(field holder "$file")" = "$holder" ]; }
overlap() { case $1/ in "$2"/*) true ;; *) case $2/ in "$1"/*) true ;; *) false ;; esac ;; esac; }
# Ends with 75 if another has a fresh claim on what overlaps the target, and notes whether an own one covers it.
check() {
  for other in "$claims"/*.json; do
    if ! [ -e "$other" ] || ! overlap "$target" "$(field target "$other")"; then continue; fi
    if [ "$(field holder "$other")" = "$holder" ]; then
      case $target/ in "$(field target "$other")"/*) covered=true ;; esac
    elif [ "$(age "$other")" -le "$ttl" ]; then
      echo "REFUSED: $target is claimed by $(field holder "$other") (heartbeat $(age "$other")s ago)." >&2
      exit 75
    fi
  done
}
put() {
  printf '{\n  "target": "%s",\n  "holder": "%s",\n  "purpose": "%s",\n  "taken_at": "%s",\n  "heartbeat_at": "%s"\n}\n' \
    "$target" "$holder" "$1" "$2" "$now" >"$place/pending"
  [ "$verb" = beat ] || sync "$place/pending"
  wanted=$(cat "$place/pending")
  mv "$place/pending" "$file"
  [ "$verb" = beat ] || sync "$claims"
  [ "$(cat "$file")" = "$wanted" ] || { echo 'not verified' >&2; exit 1; }
}
log() {
  number=$(tail -n 1 "$place/trace.jsonl" 2>/dev/null | sed 's/.*"trace_id":"\([0-9]*\)".*/\1/')
  printf '{"ts":"%s","trace_id":"%s","agent":"%s","action":"%s","task":"%s"}\n' \
    "$now" $((number + 1)) "$holder" "$verb" "$target" >>"$place/trace.jsonl"
  echo "$verb: $target"
}
# The nearest directory around a path that has a .git.
tree() { (cd -P -- "$1" && while [ ! -e .git ] && [ "$PWD" != / ]; do cd ..; done && pwd); }

if [ "$verb" = guard ]; then
  check
  case $target in "$(tree .)"/*) exit 0 ;; esac
  if $covered; then exit 0; else echo "UNCLAIMED: $target" >&2; exit 76; fi
fi
mkdir -p "$claims"
exec 9>>"$place/lock" && flock -w 5 9
case $verb in
take) check; if mine; then put "$purpose" "$(field taken_at "$file")"; else put "$purpose" "$now"; fi ;;
beat) mine || exit 3; check; put "$(field purpose "$file")" "$(field taken_at "$file")" ;;
release) mine || exit 3; rm "$file"; [ ! -e "$file" ] ;;
*) exit 2 ;;
esac
log
