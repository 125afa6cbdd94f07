#!/bin/sh
# parityd as a process: options, start, exit codes, signals, sockets.
#   parityd_test.sh PARITYD PARITYCTL
set -eu
parityd=$1
parityctl=$2
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
contains() { grep -q -- "$2" "$1" || { cat "$1" >&2; fail "no '$2' in the output above"; }; }
# start ARGS...: a server that is ready, its log in $work/log
start() {
  : >"$work/log" # here, not in the background: no earlier server's lines
  "$parityd" "$@" 2>"$work/log" &
  server=$!
  until grep -q ' ready$' "$work/log"; do
    kill -0 "$server" 2>/dev/null || fail "the server did not start"
    sleep 0.02
  done
}
# stop SIGNAL: it must end with exit code 0
stop() {
  kill "-$1" "$server"
  code=0
  wait "$server" || code=$?
  server=
  [ "$code" -eq 0 ] || fail "exit code $code after SIG$1"
  contains "$work/log" ' stopped$'
}
# refuses CODE TEXT ARGS...: a start that fails with the exit code and the text
refuses() {
  want=$1 text=$2
  shift 2
  code=0
  "$parityd" "$@" >"$work/out" 2>&1 || code=$?
  [ "$code" -eq "$want" ] || { cat "$work/out" >&2; fail "parityd $*: exit code $code, want $want"; }
  contains "$work/out" "$text"
}

"$parityd" --help >"$work/help"
for option in --listen --workers --kernels --grace --print-topology --version; do contains "$work/help" "$option"; done
contains "$work/help" 'Exit codes'
"$parityd" --version >"$work/version"
grep -Eq '^parityd [0-9]+\.[0-9]+\.[0-9]+ \(([0-9a-f]{8}\+?|unknown)\)$' "$work/version" ||
  fail "version: $(cat "$work/version")"

# The plan, without serving.
"$parityd" --print-topology --workers 1 --kernels scalar >"$work/out" 2>"$work/log"
contains "$work/out" '^workers:   1, as --workers says$'
contains "$work/out" '\[w0: [0-9]'
contains "$work/out" '^kernels:   scalar, as --kernels says; usable: .*scalar$'
[ ! -s "$work/log" ] || fail "a log of printing the plan"
"$parityd" --print-topology=json --workers 1 >"$work/out"
contains "$work/out" '^  "decided_by": \[$'
contains "$work/out" '"asked_workers": 1,'
refuses 2 'xml not in {text,json}' --print-topology=xml
refuses 2 'workers: got 100000, want 1 to' --print-topology --workers 100000
refuses 2 'kernels: got mmx, want' --print-topology --kernels mmx

refuses 2 'listen: got nonsense, want HOST:PORT' --listen nonsense
refuses 2 'kernels: got mmx, want' --kernels mmx
refuses 2 'scalar' --kernels mmx
refuses 2 'workers: got 0, want 1 to' --workers 0
refuses 2 'workers: got 100000, want 1 to' --workers 100000
refuses 2 '--frobnicate' --frobnicate
refuses 1 'listen 192.0.2.1:7' --listen 192.0.2.1:7
refuses 1 "listen unix:$work/missing/dir/s.sock" --listen "unix:$work/missing/dir/s.sock"
touch "$work/file"
refuses 1 'not a socket' --listen "unix:$work/file"

# No arguments: loopback TCP and a socket in the runtime directory.
XDG_RUNTIME_DIR=$work
export XDG_RUNTIME_DIR
start
[ -S "$work/parityd/parityd.sock" ] || fail "no default socket"
contains "$work/log" 'listening on 127.0.0.1:7420'
"$parityctl" info >"$work/info"
contains "$work/info" 'parityd.sock'
"$parityctl" info --server 127.0.0.1:7420 >"$work/info"
refuses 1 'listen 127.0.0.1:7420' --listen 127.0.0.1:7420
refuses 1 'another server listens there' --listen "unix:$work/parityd/parityd.sock"
"$parityctl" info >"$work/info" # and the server that was there still serves
stop TERM
[ ! -e "$work/parityd/parityd.sock" ] || fail "the socket is left"

# A server that was killed leaves its socket; a client passes over it, the next server takes it over.
start
kill -9 "$server"
wait "$server" || true
[ -S "$work/parityd/parityd.sock" ] || fail "a killed server cannot remove its socket"
start --listen 127.0.0.1:7420
"$parityctl" info >"$work/info"
contains "$work/info" '127.0.0.1:7420'
stop TERM
start --listen "unix:$work/s.sock" --workers 1 --kernels scalar
kill -9 "$server"
wait "$server" || true
[ -S "$work/s.sock" ] || fail "a killed server cannot remove its socket"
start --listen "unix:$work/s.sock" --workers 1 --kernels scalar
contains "$work/log" 'kernels: scalar'
"$parityctl" info --server "unix:$work/s.sock" >"$work/info"
contains "$work/info" 'scalar'
[ "$(stat -c %a "$work/s.sock")" = 660 ] || fail "socket mode"
kill -TERM "$server" # and INT right after it: the second signal changes nothing
stop INT

# One line per event.
grep -Evq '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+[+-][0-9]{2}:[0-9]{2} (info|warning|error) .+$' \
  "$work/log" && fail "a line of the log is not an event"
echo "parityd: every check held"
