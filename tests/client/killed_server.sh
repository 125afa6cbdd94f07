#!/bin/bash
# Kills the only server in the middle of an encode: parityctl must finish by itself, with shards that give the
# object back and parity that fits, in bounded memory.
#
#   killed_server.sh PARITYD PARITYCTL [MIB [DIRECTORY]]     MIB of the object: 256 by default
set -eu
parityd=$(realpath "$1") parityctl=$(realpath "$2") mib=${3:-256}
work=$(mktemp -d -p "${4:-/tmp}")
server=
finish() {
  [ -z "$server" ] || kill -9 "$server" 2>/dev/null || true
  rm -rf "$work"
}
trap finish EXIT
fail() {
  echo "FAILED: $*" >&2
  cat "$work/said" >&2
  exit 1
}

head -c "${mib}M" /dev/urandom >"$work/object"
for listen in "unix:$work/parityd.sock" 127.0.0.1:0; do
  : >"$work/log"
  "$parityd" --listen "$listen" 2>"$work/log" &
  server=$!
  until grep -q ' ready$' "$work/log"; do
    kill -0 "$server" 2>/dev/null || fail "the server has ended"
    sleep 0.02
  done
  address=$(sed -n 's/.*listening on \(127[^ ]*\).*/\1/p' "$work/log" | head -1)
  rm -rf "$work/shards"
  "$parityctl" encode "$work/object" --data 4 --parity 2 --out "$work/shards" \
    --server "${address:-$listen}" >"$work/said" 2>&1 &
  encode=$!
  # Until a third of the bytes are written.
  until [ "$(du -sm "$work/shards" 2>/dev/null | cut -f1)" -gt $((mib / 2)) ] 2>/dev/null; do
    kill -0 "$encode" 2>/dev/null || fail "the encode has ended before the server was killed"
  done
  kill -9 "$server"
  wait "$server" 2>/dev/null || true
  server=
  peak=0
  while kill -0 "$encode" 2>/dev/null; do
    now=$(sed -n 's/^VmHWM:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$encode/status" 2>/dev/null || true)
    peak=${now:-$peak}
    sleep 0.02
  done
  wait "$encode" || fail "encode: exit code $?"
  grep -q 'parity is computed in this process' "$work/said" || fail "it did not say that it computed by itself"
  [ "$peak" -lt $((256 * 1024)) ] || fail "$peak KiB of memory, want less than 256 MiB"
  "$parityctl" verify "$work/shards" --server local >"$work/said" 2>&1 || fail "the shards do not fit"
  rm "$work/shards/object.000.shard" "$work/shards/object.003.shard"
  "$parityctl" decode "$work/shards" --server local --out "$work/again" >"$work/said" 2>&1 || fail "decode"
  cmp "$work/object" "$work/again" || fail "the object is another one"
  rm "$work/again"
  echo "${listen%%:*}: $mib MiB, server killed in the middle, same object, $((peak / 1024)) MiB of memory at most"
done
