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
for option in --listen --workers --kernels --grace --print-topology --version --max-message --max-calls \
  --max-requests-per-stream --max-held --max-connections --stall-timeout --max-idle --max-age \
  --keepalive --min-ping-interval --tls-certificate --tls-key --tls-client-ca; do
  contains "$work/help" "$option"
done
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
# OPTION WANTED VALUE...: values that are refused, with what is wanted
while read -r option wanted values; do
  for value in $values; do
    refuses 2 "$option: got $value, want $(echo "$wanted" | tr _ ' ')" "--$option" "$value"
  done
done <<'END'
grace 0_to_3600_seconds 3601 x
max-message 64K_to_1G 0 65535 2G 64X x 99999999999999999999
max-calls 1_to_65536 0 65537 1.5 x
max-requests-per-stream 1_to_65536 0 65537 x
max-held 1M_to_1048576G 1023K 1048577G x
max-connections 0_to_1000000 1000001 x
stall-timeout 0_(never)_or_0.1_to_1e+06_seconds 0.05 1000001 x nan
max-idle 0_(never)_or_0.1_to_1e+06_seconds 0.05 1000001 x
max-age 0_(never)_or_0.1_to_1e+06_seconds 0.05 1000001 inf
keepalive 0_(never)_or_1_to_1e+06_seconds 0.5 1000001 x
min-ping-interval 0_to_20_seconds 20.5 x
END
refuses 2 'max-calls: got -1' --max-calls=-1
refuses 2 'max-held: got 1048576 bytes, want at least --max-message (67108864)' --max-held 1M
refuses 2 'tls-key: got none' --tls-certificate "$work/a.crt"
refuses 2 'tls-certificate: got none' --tls-key "$work/a.key"
refuses 2 'tls-certificate: got none' --tls-client-ca "$work/ca.crt"
refuses 1 "tls-certificate: $work/a.crt: No such file" --tls-certificate "$work/a.crt" --tls-key "$work/a.key"
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

# Limits as they are given, at the edges of their ranges.
start --listen "unix:$work/s.sock" --max-message 64K --max-calls 1 --max-requests-per-stream 65536 --max-held 1M \
  --max-connections 2 --stall-timeout 0 --max-idle 1000000 --max-age 1000000 --keepalive 1 --min-ping-interval 0
"$parityctl" info --server "unix:$work/s.sock" >"$work/info"
contains "$work/info" '65536 bytes a message, 257 shards a stripe, 1 calls a connection, 65536 requests a stream'
contains "$work/info" '1048576 bytes held, 2 connections'
contains "$work/info" 'stall timeout never, idle 277h46m40s, age 277h46m40s, keepalive 1s, pings at least 0 apart'
stop TERM

# A log whose reader has gone does not end the server, nor does one that was never there.
mkfifo "$work/pipe"
"$parityd" --listen "unix:$work/s.sock" 2>"$work/pipe" &
server=$!
sed '/ ready$/q' "$work/pipe" >"$work/log"
"$parityctl" info --server "unix:$work/s.sock" >"$work/info"
kill -TERM "$server"
code=0
wait "$server" || code=$?
[ "$code" -eq 0 ] || fail "exit code $code with a closed log"
"$parityd" --listen "unix:$work/s.sock" 2>&- &
server=$!
until "$parityctl" info --server "unix:$work/s.sock" >"$work/info" 2>/dev/null; do
  kill -0 "$server" 2>/dev/null || fail "no server without a log"
done
[ "$(readlink "/proc/$server/fd/2")" = /dev/null ] || fail "the log goes to another file"
kill -TERM "$server"
wait "$server" || fail "exit code $? without a log"
server=

# One line per event.
start --listen "unix:$work/s.sock"
stop INT
grep -Evq '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+[+-][0-9]{2}:[0-9]{2} (info|warning|error) .+$' \
  "$work/log" && fail "a line of the log is not an event"
echo "parityd: every check held"
