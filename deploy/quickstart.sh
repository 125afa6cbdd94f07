#!/bin/sh
# Shows parityd at work: installs and builds what is missing, starts a server, and sends a real file
# through it: encode into 4 data and 2 parity shard files, damage, verify, loss of two, repair, decode.
# Exits 0 only if every step did what it should.
#
#   deploy/quickstart.sh [--keep] [--file FILE]
#
#   --keep       leave the server running at the end and print its addresses
#   --file FILE  encode this file instead of one of at least 64 MiB found on this machine
set -eu

usage='usage: deploy/quickstart.sh [--keep] [--file FILE]'
keep=false
file=
while [ $# -gt 0 ]; do
  case "$1" in
    --keep) keep=true ;;
    --file)
      [ $# -ge 2 ] || { echo "quickstart: --file needs a file" >&2; exit 2; }
      if [ ! -f "$2" ] || [ ! -s "$2" ]; then
        echo "quickstart: --file: got $2, want a file that is not empty" >&2
        exit 2
      fi
      file=$(realpath -- "$2")
      shift
      ;;
    --help)
      echo "$usage"
      exit 0
      ;;
    *)
      echo "$usage, got '$1'" >&2
      exit 2
      ;;
  esac
  shift
done
cd "$(dirname "$0")/.."

smallest=$((64 * 1024 * 1024))
started=$(date +%s)
server=
work=$(mktemp -d "${TMPDIR:-/tmp}/parityd-quickstart.XXXXXX")
log=$work/parityd.log

step() { printf '[%3ds] %s\n' "$(($(date +%s) - started))" "$*"; }
fail() {
  echo "quickstart: $*" >&2
  exit 1
}
# Runs a command whose output matters only if it fails.
quietly() {
  "$@" >"$work/output" 2>&1 && return
  cat "$work/output" >&2
  fail "failed: $*"
}
finish() {
  status=$?
  if [ -n "$server" ] && { ! $keep || [ $status -ne 0 ]; }; then
    kill "$server" 2>/dev/null || true
    wait "$server" 2>/dev/null || true
  fi
  if [ $status -ne 0 ] && [ -s "$log" ]; then
    echo "quickstart: the server's log:" >&2
    cat "$log" >&2
  fi
  if $keep && [ $status -eq 0 ]; then
    rm -rf "$work/shards" "$work/damaged" "$work/gcc.tar" "$work/restored" "$work/output"
  else
    rm -rf "$work"
  fi
}
trap finish EXIT
trap 'exit 130' INT TERM

step "packages: those that are missing"
quietly deploy/install-deps.sh build

step "build: the first takes some minutes, later ones seconds"
quietly cmake --preset package
quietly cmake --build --preset package
bin=$PWD/build/package/bin

step "start: parityd on a Unix socket and a free TCP port"
: >"$log"
"$bin/parityd" --listen "unix:$work/parityd.sock" --listen 127.0.0.1:0 2>"$log" &
server=$!
until grep -q ' ready$' "$log"; do
  kill -0 "$server" 2>/dev/null || fail "the server did not start"
  sleep 0.05
done
address=unix:$work/parityd.sock
"$bin/parityctl" info --server "$address"

if [ -z "$file" ]; then
  file=$(find /usr /opt -xdev -type f -readable -size +64M -printf '%s %p\n' 2>/dev/null |
    sort -n | head -n 1 | cut -d' ' -f2-)
  if [ -z "$file" ]; then # a small system: an archive of its compiler
    file=$work/gcc.tar
    tar -C / -cf "$file" usr/lib/gcc
  fi
fi
bytes=$(stat -L -c %s "$file")
[ "$bytes" -ge "$smallest" ] || step "note: $file has only $bytes bytes, which is little to measure by"

step "encode: $file, $((bytes / 1048576)) MiB, into 4 data + 2 parity shards through the server"
mkdir "$work/shards"
"$bin/parityctl" encode "$file" --data 4 --parity 2 --out "$work/shards" --server "$address"
set -- "$work/shards"/*.shard
[ $# -eq 6 ] || fail "want 6 shard files, got $#"

step "verify: the shards as written"
"$bin/parityctl" verify "$work/shards" --server "$address"

step "damage: one bit of shard 2, in a copy; verify must name shard and offset"
cp -r "$work/shards" "$work/damaged"
damaged=$(printf '%s\n' "$work/damaged"/*.002.shard)
header=128 # bytes; the flip must hit the object's bytes
offset=$((header + ($(stat -c %s "$damaged") - header) / 3))
byte=$(od -An -tu1 -j "$offset" -N 1 "$damaged")
# shellcheck disable=SC2059 # the format is the byte
printf "\\$(printf %03o $((byte ^ 16)))" | dd of="$damaged" bs=1 seek="$offset" conv=notrunc status=none
code=0
"$bin/parityctl" verify "$work/damaged" --server "$address" >"$work/output" 2>&1 || code=$?
cat "$work/output"
[ $code -eq 1 ] || fail "verify of the damaged copy: want exit code 1, got $code"
grep -q '002\.shard' "$work/output" || fail "verify did not name shard 2"
grep -q 'offset' "$work/output" || fail "verify did not name the offset"

step "lose: shards 1 and 4 are deleted"
rm "$work/shards"/*.001.shard "$work/shards"/*.004.shard

step "repair: through the server"
"$bin/parityctl" repair "$work/shards" --server "$address"
"$bin/parityctl" verify "$work/shards" --server "$address"

step "restore: the object from its shards; its SHA-256 must be the original's"
"$bin/parityctl" decode "$work/shards" --out "$work/restored" --server "$address"
want=$(sha256sum <"$file")
got=$(sha256sum <"$work/restored")
[ "$want" = "$got" ] || fail "the restored object differs: want $want, got $got"
echo "sha256 ${got%% *} matches"

if $keep; then
  sed -n 's/.* listening on /quickstart: the server listens on /p' "$log"
  step "done: stop the server with 'kill $server'; its log and socket are in $work"
else
  step "stop: SIGTERM"
  kill "$server"
  code=0
  wait "$server" || code=$?
  server=
  [ $code -eq 0 ] || fail "the server exited with $code"
  grep -q ' stopped$' "$log" || fail "the server did not say that it stopped"
  step "done: every step held"
fi
