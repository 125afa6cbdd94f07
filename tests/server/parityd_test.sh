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
  --keepalive --min-ping-interval --tls-certificate --tls-key --tls-client-ca \
  --max-shm --max-region --max-regions --shm-spin --allow-uid --allow-gid; do
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
refuses 2 'print-topology: got xml, want one of text json' --print-topology=xml
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
max-shm 0_(none)_or_1M_to_1048576G 1 1023K 1048575 1048577G 64X x 99999999999999999999
max-region 4K_to_1024G 0 4095 1099511627777 1025G x
max-regions 1_to_65536 0 65537 1.5 x
shm-spin 0_to_1000_microseconds 1000.5 1001 x nan inf
END
refuses 2 'max-calls: got -1' --max-calls=-1
refuses 2 'max-shm: got -1' --max-shm=-1
refuses 2 'max-regions: got -1' --max-regions=-1
refuses 2 'shm-spin: got -1' --shm-spin=-1
for value in x -1 1.5 4294967296; do
  refuses 2 'Could not convert: --allow-uid' --allow-uid="$value"
  refuses 2 'Could not convert: --allow-gid' --allow-gid="$value"
done
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
contains "$work/info" '65536 bytes and 1024 stripes a message, 257 shards a stripe, 1 calls a connection, 65536 requests a stream'
contains "$work/info" '1048576 bytes held, 2 connections'
contains "$work/info" 'shared memory: 1073741824 bytes a client, '
contains "$work/info" 'stall timeout never, idle 277h46m40s, age 277h46m40s, keepalive 1s, pings at least 0 apart'
stop TERM

# Shared memory: options at the edges of their ranges, and a socket beside each Unix socket.
for limits in '--max-shm 1M --max-region 4K --max-regions 1 --shm-spin 0' \
  '--max-shm 1048576G --max-region 1024G --max-regions 65536 --shm-spin 1000'; do
  # shellcheck disable=SC2086 # a list of words
  start --listen "unix:$work/s.sock" --listen "unix:$work/t.sock" --listen 127.0.0.1:0 $limits \
    --allow-uid "$(id -u)" --allow-uid 0 --allow-gid 0 --allow-gid 4294967294
  for socket in s t; do
    [ -S "$work/$socket.sock.shm" ] || fail "no socket for shared memory beside $socket.sock"
    [ "$(stat -c %a "$work/$socket.sock.shm")" = 666 ] || fail "mode of the socket for shared memory"
  done
  "$parityctl" info --server "unix:$work/s.sock" >"$work/info"
  stop TERM
  for socket in s t; do
    [ ! -e "$work/$socket.sock.shm" ] || fail "the socket for shared memory is left"
  done
done
start --listen "unix:$work/s.sock" --max-shm 0
[ ! -e "$work/s.sock.shm" ] || fail "a socket for shared memory, of which there is to be none"
# Another that shares memory finds the path taken only after it has a socket for that.
refuses 1 "listen unix:$work/s.sock: another server listens there" --listen "unix:$work/s.sock"
[ ! -e "$work/s.sock.shm" ] || fail "a server that could not start leaves its socket"
"$parityctl" info --server "unix:$work/s.sock" >"$work/info"
stop TERM
start --listen "unix:$work/s.sock"
refuses 1 "listen unix:$work/s.sock.shm: another server listens there" --listen "unix:$work/s.sock"
refuses 1 "listen unix:$work/s.sock: another server listens there" --listen "unix:$work/s.sock" --max-shm 0
[ -S "$work/s.sock.shm" ] || fail "the socket for shared memory of another server is removed"
"$parityctl" info --server "unix:$work/s.sock" >"$work/info"
kill -9 "$server"
wait "$server" || true
[ -S "$work/s.sock.shm" ] || fail "a killed server cannot remove its socket"
start --listen "unix:$work/s.sock" --max-shm 0
stop TERM
start --listen "unix:$work/s.sock"
stop TERM
[ ! -e "$work/s.sock.shm" ] || fail "the socket for shared memory is left"
touch "$work/file.shm"
rm "$work/file"
refuses 1 "listen unix:$work/file.shm: a file that is not a socket is there" --listen "unix:$work/file"
[ ! -e "$work/file" ] || fail "a server that could not start leaves its socket"

# A path may have 107 bytes, that for shared memory too.
long=$work/$(printf '%0108d' 0)
for bytes in 103 104 107; do
  path=$(echo "$long" | cut -c "-$bytes")
  if [ "$bytes" -le 103 ]; then
    start --listen "unix:$path"
  else
    refuses 1 "listen: got unix:$path.shm, want unix:PATH with a path of 1 to 107 bytes" \
      --listen "unix:$path"
    start --listen "unix:$path" --max-shm 0
  fi
  "$parityctl" info --server "unix:$path" >"$work/info"
  stop TERM
done
refuses 2 'listen: got unix:.*, want unix:PATH with a path of 1 to 107 bytes' \
  --listen "unix:$(echo "$long" | cut -c -108)" --max-shm 0

# Users who may connect to the Unix sockets. It holds for this one too.
start --listen "unix:$work/s.sock" --listen 127.0.0.1:7420 --allow-uid "$(($(id -u) + 1))"
"$parityctl" info --server "unix:$work/s.sock" >"$work/info" 2>&1 && fail "another user is served"
contains "$work/log" "connection of pid [0-9]* of uid $(id -u) refused: peer: got uid"
"$parityctl" info --server 127.0.0.1:7420 >"$work/info"
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
