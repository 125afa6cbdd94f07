#!/bin/sh
# Runs an example against a real server.
#   examples_test.sh LANGUAGE SCENARIO SOURCE_DIR PARITYD PYTHON      LANGUAGE is python or node
# SCENARIO:
#   commands  the commands of examples/README.md, and an address of TCP
#   trouble   a server that starts late, is killed under a stream, and is full: the example gets through
#   lies      a server that lies in one thing, or none at all: the example fails and says in what
# exit code 77: node, or what the example needs of npm, is not installed
set -eu
language=$1 scenario=$2 source_dir=$3 parityd=$4 python=$5
if [ "$language" = node ]; then
  command -v node >/dev/null || { echo "SKIPPED: no node; tests/examples/node.sh installs it"; exit 77; }
  if [ ! -d "$source_dir/examples/node/node_modules" ]; then
    echo "SKIPPED: no node_modules in examples/node; tests/examples/node.sh installs them"
    exit 77
  fi
fi

work=$(mktemp -d)
server=
other=
example=
finish() {
  for process in $example $other $server; do kill -9 "$process" 2>/dev/null || true; done
  rm -rf "$work"
}
trap finish EXIT
trap 'exit 1' HUP INT TERM

fail() {
  echo "FAILED: $*" >&2
  for file in log other out err; do
    [ ! -s "$work/$file" ] || tail -n 20 "$work/$file" | sed "s/^/$file: /" >&2
  done
  exit 1
}

# lines FILE PATTERN: how many there are.
lines() { grep -c -- "$2" "$work/$1" || true; }

# await PROCESS FILE PATTERN [COUNT]: until FILE has so many lines of PATTERN; no longer than PROCESS lives,
# nor than about a minute.
await() {
  looks=0
  while [ "$(lines "$2" "$3")" -lt "${4:-1}" ]; do
    if ! kill -0 "$1" 2>/dev/null; then
      [ "$(lines "$2" "$3")" -ge "${4:-1}" ] || fail "ended without '$3' in $2"
    fi
    looks=$((looks + 1))
    [ "$looks" -lt 2500 ] || fail "a minute without '$3' in $2"
    sleep 0.02
  done
}

serve() {
  : >"$work/log"
  "$parityd" --listen "unix:$socket" "$@" 2>"$work/log" &
  server=$!
  await "$server" log ' ready$'
}

# stop PROCESS: at once, and says nothing about it.
stop() {
  kill -9 "$1"
  wait "$1" 2>/dev/null || true
}

# A helper in Python; the rest are its arguments.
start_other() {
  : >"$work/other"
  PYTHONPATH="$work/build/python" "$python" "$source_dir/tests/examples/$1" "$2" ${3+"$3"} ${4+"$4"} \
    >"$work/other" 2>&1 &
  other=$!
}

program() {
  if [ "$language" = python ]; then
    PYTHONPATH="$work/build/python" exec "$python" -u "$source_dir/examples/python/stripe.py" "$@"
  fi
  exec node "$source_dir/examples/node/stripe.js" "$@"
}

start_example() {
  : >"$work/out"
  : >"$work/err"
  (program "$@") >"$work/out" 2>"$work/err" &
  example=$!
}

# ends CODE WHAT
ends() {
  rc=0
  wait "$example" || rc=$?
  example=
  [ "$rc" -eq "$1" ] || fail "$2: exit code $rc, want $1"
}

# No pause is shorter than the server has asked for.
waits_as_asked() {
  sed -n 's/.*asked to wait \([0-9]*\) ms; attempt [0-9]* in \([0-9]*\) ms$/\1 \2/p' err >pauses
  [ -s pauses ] || fail "no pauses"
  while read -r asked pause; do
    [ "$pause" -ge "$asked" ] || fail "waits $pause ms, asked for $asked ms"
  done <pauses
}

commands() { sed -n "/^\`\`\`sh $1\$/,/^\`\`\`\$/p" "$source_dir/examples/README.md" | grep -v '^```'; }

export XDG_RUNTIME_DIR="$work" PYTHONDONTWRITEBYTECODE=1
PATH="$(dirname "$python"):$PATH"
socket="$work/parityd/parityd.sock"
: >"$work/out"
: >"$work/err"
# What the README takes for granted: its source tree.
ln -s "$source_dir/proto" "$source_dir/examples" "$work"
cd "$work"
commands python | sed '/stripe\.py/d' >generate.sh
[ -s generate.sh ] || fail "no commands in examples/README.md"
sh -eu generate.sh

case "$scenario" in
  commands)
    serve --listen 127.0.0.1:0
    commands "$language" >run.sh
    [ -s run.sh ] || fail "no commands in examples/README.md"
    sh -eux run.sh >out || fail "the commands of examples/README.md"
    cat out
    [ "$(lines out .)" -eq 7 ] || fail "not the lines of the whole program"

    start_example "$(sed -n 's/.*listening on \(127\.0\.0\.1:\)/\1/p' log)"
    ends 0 "over TCP"
    [ ! -s err ] || fail "complaints over TCP"
    ;;

  trouble)
    # Just long enough for a large stripe; a stream alone does not fill it.
    small="--max-message 19M --max-held 24M"
    start_example "unix:$socket" --requests 10
    await "$example" err UNAVAILABLE 3
    # shellcheck disable=SC2086 # a list of words
    serve $small
    ends 0 "a server that starts late"

    start_other hoarder.py "unix:$socket"
    await "$other" other holding
    start_example "unix:$socket" --requests 2000 --deadline 120
    await "$example" err 'RESOURCE_EXHAUSTED.*asked to wait'
    stop "$other"
    await "$example" out '^stream: .* requests'
    [ "$(lines err UNAVAILABLE)" -eq 0 ] || fail "UNAVAILABLE before the server was killed"
    stop "$server"
    await "$example" err UNAVAILABLE 3
    refusals=$(lines err RESOURCE_EXHAUSTED)
    # shellcheck disable=SC2086 # a list of words
    serve $small
    failures=$(lines err UNAVAILABLE)
    start_other hoarder.py "unix:$socket"
    await "$example" err 'RESOURCE_EXHAUSTED.*asked to wait' $((refusals + 1))
    stop "$other"
    other=
    # It connects within the pauses of a call, not seconds later.
    [ "$(lines err UNAVAILABLE)" -le $((failures + 3)) ] || fail "does not notice that the server is back"
    ends 0 "a server that was full and killed"
    [ "$(lines out '^stream: 2000 answers')" -eq 1 ] || fail "not every answer of the stream"
    waits_as_asked
    echo "got through $(lines err RESOURCE_EXHAUSTED) refusals and $(lines err UNAVAILABLE) failures"
    ;;

  lies)
    serve
    while read -r lie what; do
      start_other lying_server.py "unix:$work/lying.sock" "unix:$socket" "$lie"
      await "$other" other '^ready'
      start_example "unix:$work/lying.sock" --requests 101
      ends 1 "$lie"
      grep -q "FAILED: $what" err || fail "$lie: not noticed as '$what'"
      echo "$lie: $(tail -n 1 err)"
      stop "$other"
      other=
    done <<LIES
damaged-encode shard 0 of the answer: got checksum
forged-encode reconstruct: shards as they were
unsealed-encode got 0 checksums of 2 shards
forged-reconstruct reconstruct: shards as they were
deaf-verify verify: DATA_LOSS of shards.2.
blind-verify verify: both parity shards differ
wrong-suspect verify: the suspect is shard 2
forged-update update: the parity that encoding gives
forged-stream stream: parity of request 100
LIES
    start_other lying_server.py "unix:$work/lying.sock" "unix:$socket" busy-once
    await "$other" other '^ready'
    start_example "unix:$work/lying.sock" --requests 1
    ends 0 "a time to wait in the trailer"
    [ "$(lines err 'asked to wait 70 ms')" -eq 1 ] || fail "a time to wait in the trailer: not noticed"
    waits_as_asked
    stop "$other"
    other=
    start_example "unix:$work/none.sock" --deadline 0.5
    ends 1 "without a server"
    grep -q 'FAILED: UNAVAILABLE' err || fail "without a server: not said so"
    # A message that is too large stays so.
    stop "$server"
    serve --max-message 1M --max-held 1M
    start_example "unix:$socket"
    ends 1 "a message that is too large"
    grep -q 'FAILED: RESOURCE_EXHAUSTED: message' err || fail "a message that is too large: not said so"
    [ "$(lines err attempt)" -eq 0 ] || fail "a message that is too large is sent again"
    start_example
    ends 2 "without a target"
    ;;

  *) fail "scenario: got $scenario, want commands, trouble or lies" ;;
esac
