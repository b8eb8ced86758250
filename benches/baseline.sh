#!/bin/sh
# What claim is measured against: the same verbs as a shell script, with the same file, the same lock and the same
# check by reading back, and without everything else. Usage: baseline.sh take|beat|release|status|guard TARGET [PURPOSE]
set -eu
place=${CLAIM_DIR:?} holder=${CLAIM_HOLDER:?} ttl=900
verb=$1 target=${2:-}
stem=$(printf %s "$target" | tr -c 'A-Za-z0-9' '-' | tr '[:upper:]' '[:lower:]')
file=$place/claims/$stem.json

now() { date -u +%Y-%m-%dT%H:%M:%SZ; }
field() { sed -n "s/^  \"$1\": \"\(.*\)\",\{0,1\}\$/\1/p" "$file"; }
age() { echo $(($(date +%s) - $(date -d "$(field heartbeat_at)" +%s))); }
put() {
  printf '{\n  "target": "%s",\n  "holder": "%s",\n  "purpose": "%s",\n  "taken_at": "%s",\n  "heartbeat_at": "%s"\n}\n' \
    "$target" "$holder" "$1" "$2" "$(now)" >"$place/pending"
  sync "$place/pending"
  wanted=$(cat "$place/pending")
  mv "$place/pending" "$file"
  [ "$(cat "$file")" = "$wanted" ] || { echo 'not verified' >&2; exit 1; }
}
refuse() {
  echo "REFUSED: $target is claimed by $(field holder) (heartbeat $(age)s ago)." >&2
  exit 75
}
mine() { [ -e "$file" ] && [ "$(field holder)" = "$holder" ]; }
free() { [ ! -e "$file" ] || [ "$(age)" -gt "$ttl" ]; }

mkdir -p "$place/claims"
case $verb in
status)
  for file in "$place"/claims/*.json; do
    [ -e "$file" ] && printf '%s %s %ss\n' "$(field target)" "$(field holder)" "$(age)"
  done
  exit 0
  ;;
guard)
  if mine || free; then exit 0; else refuse; fi
  ;;
esac
exec 9>>"$place/lock"
flock -w 5 9
case $verb in
take)
  if mine; then put "$3" "$(field taken_at)"; elif free; then put "$3" "$(now)"; else refuse; fi
  echo "claimed: $target"
  ;;
beat)
  mine || refuse
  put "$(field purpose)" "$(field taken_at)"
  echo "beat: $target"
  ;;
release)
  mine || refuse
  rm "$file"
  [ ! -e "$file" ]
  echo "released: $target"
  ;;
esac
