#!/bin/sh
# parityd where a container's seccomp profile refuses to pin threads and to place memory: it serves,
# and says so once of each.
#   refused_calls_test.sh REFUSE PARITYD PARITYCTL     exit code 77: this kernel has no such filters
set -eu
refuse=$1
parityd=$2
parityctl=$3
work=$(mktemp -d)
server=
finish() {
  [ -z "$server" ] || kill -9 "$server" 2>/dev/null || true
  rm -rf "$work"
}
trap finish EXIT

fail() {
  echo "FAILED: $*" >&2
  [ ! -f "$work/log" ] || cat "$work/log" >&2
  exit 1
}
# serves CALLS WARNING...: with these calls refused it works, and these are all its warnings
serves() {
  calls=$1
  shift
  : >"$work/log"
  "$refuse" "$calls" "$parityd" --listen "unix:$work/s.sock" 2>"$work/log" &
  server=$!
  until grep -q ' ready$' "$work/log"; do
    kill -0 "$server" 2>/dev/null || fail "the server did not start"
    sleep 0.02
  done
  rm -rf "$work/shards" "$work/restored"
  "$parityctl" encode "$work/object" --data 4 --parity 2 --out "$work/shards" \
    --server "unix:$work/s.sock" >"$work/out" 2>&1 || { cat "$work/out" >&2; fail "encode"; }
  rm "$work/shards/object.000.shard" "$work/shards/object.003.shard"
  "$parityctl" decode "$work/shards" --out "$work/restored" --server "unix:$work/s.sock" \
    >"$work/out" 2>&1 ||
    { cat "$work/out" >&2; fail "decode"; }
  cmp "$work/object" "$work/restored" || fail "the parity is wrong"
  kill -TERM "$server"
  code=0
  wait "$server" || code=$?
  server=
  [ "$code" -eq 0 ] || fail "exit code $code after SIGTERM"
  [ "$(grep -Ec ' (warning|error) ' "$work/log")" -eq $# ] || fail "$calls: want $# warnings"
  for warning in "$@"; do
    grep -q " warning $warning" "$work/log" || fail "$calls: no warning '$warning'"
  done
}

status=0
"$refuse" mbind /bin/true || status=$?
[ "$status" -eq 0 ] || exit "$status"
head -c 3000000 /dev/urandom >"$work/object"
unpinned='workers run unpinned: PERMISSION_DENIED: pinning to CPU [0-9]'
unplaced='memory comes from the node that touches it first, without a policy: PERMISSION_DENIED: '
serves set_mempolicy,mbind,sched_setaffinity "$unpinned" "$unplaced"
serves set_mempolicy,mbind,move_pages "$unplaced"
serves sched_setaffinity "$unpinned"
serves mbind
echo "refused calls: every check held"
