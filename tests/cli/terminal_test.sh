#!/bin/bash
# parityctl and who sits before it: progress, signals.
#
#   terminal_test.sh PARITYCTL [PARITYD]
# shellcheck source=tests/cli/harness.sh
source "$(dirname "$0")/harness.sh"

# on_terminal ARGUMENT...: runs parityctl with a terminal for its output and its errors, both in typescript.
on_terminal() {
  script --quiet --return --command "$(printf '%q ' "$parityctl" "$@")" typescript >"$scratch/stdout" 2>&1 ||
    fail "parityctl $*: exit code $?"
}

progress() {
  local erase=$'\r\e[K'
  if ! command -v script >/dev/null; then
    echo "skipped: progress on a terminal: there is no script (util-linux)"
    return 0
  fi
  truncate -s 300M object
  on_terminal encode object --server "$server"
  grep -qE '\[#*\.*\] +[0-9]+%  [0-9.]+ of 314\.6 MB' typescript || fail "want a bar"
  grep -qE '[0-9.]+ GB/s  ETA [0-9]:[0-9][0-9]' typescript || fail "want a rate and an ETA"
  # It is erased before anything else is printed.
  tr '\n' ' ' <typescript | grep -qF "${erase}object " || fail "want the bar erased"
  grep -oE '[0-9]+%' typescript | tr -d % >percent
  sort -n -c percent || fail "it went backwards"
  on_terminal verify . --server "$server"
  grep -q '%  ' typescript || fail "want a bar"
  on_terminal verify . --server "$server" --quiet
  ! grep -q '%  ' typescript || fail "want no bar with --quiet"
  on_terminal verify . --server "$server" --json
  ! grep -q '%  ' typescript || fail "want no bar with --json"
  # run wants nothing on standard error, which is no terminal.
  run 0 verify . --server "$server"
}

# ends_soon SIGNAL CODE ARGUMENT...: parityctl, stuck, ends within 2 seconds of the signal.
ends_soon() {
  local signal=$1 want=$2 started code
  shift 2
  set -m # else bash has its background commands ignore SIGINT
  "$parityctl" "$@" >"$scratch/stdout" 2>"$scratch/stderr" &
  set +m
  sleep 0.7
  kill -0 $! || fail "parityctl $*: it was not stuck"
  started=${EPOCHREALTIME/[.,]/}
  kill "-$signal" $!
  wait $!
  code=$?
  [ $((${EPOCHREALTIME/[.,]/} - started)) -lt 2000000 ] || fail "parityctl $*: it did not end soon"
  [ "$code" -eq "$want" ] || fail "parityctl $*: exit code $code, want $want"
  says 'parityctl: interrupted by signal'
  [ -z "$(find . -name '.parity-*')" ] || fail "parityctl $*: left $(find . -name '.parity-*')"
}

# A server that is stopped answers nothing, over shared memory, the socket and TCP.
stuck_server() {
  [ "$server" != local ] || return 0
  local port address
  "$parityd" --listen "unix:$PWD/frozen.sock" --listen "127.0.0.1:0" >log 2>&1 &
  local frozen=$!
  until grep -q ready log; do kill -0 $frozen || return; done
  port=$(sed -nE 's/.*listening on 127\.0\.0\.1:([0-9]+).*/\1/p' log)
  head -c 9000000 /dev/urandom >object
  run 0 encode object --server "$server" --out shards
  kill -STOP $frozen
  for address in "127.0.0.1:$port" "unix:$PWD/frozen.sock"; do
    ends_soon INT 130 encode object --server "$address" --policy remote-only
    ends_soon TERM 143 verify shards --server "$address"
    ends_soon INT 130 update shards --offset 0 --data-file object --server "$address" --policy remote-only
    ends_soon INT 130 info --server "$address"
  done
  run 0 verify shards --server "$server"
  kill -KILL $frozen
  wait $frozen 2>/dev/null
  [ "$(compgen -G '*shard*')" = shards ] || fail "something was left: $(find . -type f)"
}

stuck_input() {
  echo data >object
  run 0 encode object --server "$server"
  mkfifo pipe
  exec 9<>pipe
  ends_soon INT 130 update . --offset 0 --server "$server" <&9
  exec 9>&-
}

start_server
run_cases progress stuck_server stuck_input
[ "$failures" -eq 0 ]
