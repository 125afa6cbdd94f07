#!/bin/bash
# Runs parityctl as a user does and checks what it prints, writes and returns.
#
#   cli_test.sh PARITYCTL [PARITYD]
#
# Without PARITYD, parity is computed in parityctl itself; with it, by a server that is started here.
set -u

parityctl=$(realpath "$1")
parityd=${2:+$(realpath "$2")}
scratch=$(mktemp -d)
server=local
server_pid=
failures=0

finish() {
  if [ -n "$server_pid" ]; then
    kill "$server_pid"
    wait "$server_pid"
  fi
  rm -rf "$scratch"
}
trap finish EXIT

fail() {
  echo "FAILED: $case_name: $*"
  echo "  standard output: $(cat "$scratch/stdout")"
  echo "  standard error: $(cat "$scratch/stderr")"
  failures=$((failures + 1))
}

# run CODE ARGUMENT...: runs parityctl, which must exit with CODE; if CODE says that it failed, it must say
# why in one line of standard error, else standard error must be empty.
run() {
  local want=$1
  shift
  "$parityctl" "$@" >"$scratch/stdout" 2>"$scratch/stderr"
  local got=$?
  [ "$got" -eq "$want" ] || fail "parityctl $*: exit code $got, want $want"
  if [ "$want" -gt 1 ]; then
    [ "$(wc -l <"$scratch/stderr")" -eq 1 ] || fail "parityctl $*: want one line of error"
    grep -q '^parityctl: ' "$scratch/stderr" || fail "parityctl $*: want 'parityctl: ...'"
  elif [ "$want" -eq 0 ]; then
    [ ! -s "$scratch/stderr" ] || fail "parityctl $*: want no error"
  fi
}

prints() { grep -qF -e "$1" "$scratch/stdout" || fail "want '$1' printed"; }
says() { grep -qF -e "$1" "$scratch/stderr" || fail "want the error '$1'"; }

# flip_bit FILE OFFSET
flip_bit() {
  local byte
  byte=$(od -An -tu1 -j "$2" -N 1 "$1")
  # shellcheck disable=SC2059  # the format is the byte
  printf "\\x$(printf %x $((byte ^ 4)))" |
    dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

# The checksum of every file, hidden ones too.
contents() { find . -type f -exec sha256sum {} + | sort; }

# Runs a case in a directory of its own.
run_case() {
  case_name=$1
  local failures_before=$failures
  mkdir "$scratch/$case_name"
  cd "$scratch/$case_name" || exit 1
  "$case_name"
  cd "$scratch" || exit 1
  [ "$failures" -ne "$failures_before" ] || echo "ok: $case_name"
}

version() {
  run 0 --version
  grep -qE '^parityctl [0-9]+\.[0-9]+\.[0-9]+ \(.+\)$' "$scratch/stdout" || fail "want the version"
}

help() {
  local command option
  run 0 --help
  for command in encode verify repair decode info kernels; do prints "$command"; done
  prints 'Exit codes:'
  for command in encode verify repair decode info; do
    run 0 "$command" --help
    prints 'Exit codes:'
    prints "  parityctl $command "
    prints '--server ADDR'
    prints '--timeout SECONDS=30'
  done
  run 0 encode --help
  for option in --data --parity --code --matrix --out --force --kernels; do prints "$option"; done
  run 0 repair --help
  for option in --out --kernels; do prints "$option"; done
  run 0 decode --help
  for option in --out --force --kernels; do prints "$option"; done
  run 0 kernels --help
  for option in --json --tune --kernels 'Exit codes:'; do prints "$option"; done
}

usage_errors() {
  echo data >object
  mkfifo fifo
  run 2
  run 2 frobnicate
  run 2 encode
  run 2 encode object --frobnicate
  run 2 encode object --data four
  run 2 encode object --server "$server" --data 0
  says 'data_shards: got 0'
  run 2 encode object --server "$server" --data 200 --parity 57
  run 2 encode object --server "$server" --code xor --parity 2
  says 'parity_shards: got 2'
  run 2 encode object --server "$server" --code rot13
  says 'rot13'
  run 2 encode object --server "$server" --matrix identity
  says 'identity'
  run 2 encode object --server "$server" --matrix custom
  says 'matrix: got 4 (custom)'
  run 2 encode object --server "$server" --code raid6 --matrix cauchy
  says 'only rs has one to choose'
  run 2 encode missing --server "$server"
  says 'missing: open: No such file or directory'
  run 2 encode . --server "$server"
  says 'not a regular file'
  run 2 encode fifo --server "$server"
  says 'not a regular file'
  run 2 encode object --server "$server" --out nowhere/below
  run 2 encode object --server localhost
  says '--server: got localhost'
  run 2 encode object --server "$server" --timeout -1
  run 2 encode object --kernels scalar
  says '--kernels: only with --server local'
  run 2 encode object --server local --kernels abacus
  says 'abacus'
  says 'scalar'
  run 2 verify
  run 2 verify .
  says 'no shard files'
  run 2 decode .
  run 2 info object.000.shard --server "$server"
  run 2 info --server local
  [ "$(ls)" = $'fifo\nobject' ] || fail "something was written"
}

unreachable_server() {
  echo data >object
  run 3 encode object --server "unix:$PWD/nobody.sock"
  says "unix:$PWD/nobody.sock"
  run 3 info --server "unix:$PWD/nobody.sock"
  [ "$(contents | wc -l)" -eq 1 ] || fail "something was written"
}

round_trip() {
  local code bytes
  for code in xor raid6 rs; do
    for bytes in 0 1 5000000; do
      head -c "$bytes" /dev/urandom >object
      run 0 encode object --code "$code" --data 3 --server "$server"
      prints "$bytes bytes"
      prints "($code)"
      [ ! -e object.005.shard ] || fail "too many shards"
      mv object original
      rm object.001.shard
      run 0 decode . --out object --server "$server"
      cmp object original || fail "$code, $bytes bytes: another object came back"
      rm ./*
    done
  done
}

matrices() {
  local matrix before
  head -c 1000000 /dev/urandom >original
  for matrix in cauchy vandermonde systematic-vandermonde; do
    cp original object
    run 0 encode object --matrix "$matrix" --data 5 --parity 3 --server "$server"
    run 0 info .
    prints "matrix $matrix, 5 data and 3 parity shards"
    run 0 verify . --server "$server"
    before=$(contents)
    rm object object.001.shard object.002.shard object.005.shard
    run 0 decode . --out object --server "$server"
    cmp object original || fail "$matrix: another object came back"
    run 0 repair . --server "$server"
    [ "$(contents)" = "$before" ] || fail "$matrix: the shards are not what they were"
    rm ./*.shard object
  done
}

defaults() {
  mkdir in
  echo data >in/object
  run 0 encode in/object --server "$server"
  [ "$(cd in && echo ./*.shard | wc -w)" -eq 6 ] || fail "want 6 shards beside the object"
  prints '4+2 shards (rs)'
  run 0 encode in/object --code xor --out out --server "$server"
  prints '4+1 shards (xor)'
  [ "$(cd out && echo ./*.shard | wc -w)" -eq 5 ] || fail "want 5 shards in out"
  run 0 encode in/object --code raid6 --out out --server "$server" --force
  prints '4+2 shards (raid6)'
}

overwriting() {
  echo data >object
  run 0 encode object --server "$server"
  local before
  before=$(contents)
  run 2 encode object --server "$server"
  says './object.000.shard: create: File exists'
  run 2 decode . --out object --server "$server"
  says 'object: create: File exists'
  [ "$(contents)" = "$before" ] || fail "something was overwritten"
  run 0 encode object --server "$server" --force
  [ "$(contents)" != "$before" ] || fail "nothing was replaced"
  echo other >object
  run 0 decode . --out object --server "$server" --force
  [ "$(cat object)" = data ] || fail "another object came back"
}

damage() {
  head -c 9000000 /dev/urandom >object
  run 0 encode object --server "$server"
  run 0 verify . --server "$server"
  prints '9000000 bytes, 4+2 shards (rs): good'
  local before
  before=$(contents)

  # The header has 128 bytes; this byte is in block 3.
  flip_bit object.002.shard 200128
  run 1 verify . --server "$server"
  prints ': damaged'
  prints 'shard 2: ./object.002.shard: block 3 does not match the checksum'
  prints 'shard offset 196608, 65536 bytes, file offset 196736; wrong byte at shard offset 200000'

  flip_bit object.003.shard 3
  rm object.005.shard
  run 1 verify . --server "$server"
  prints 'shard 3: ./object.003.shard: magic: got'
  prints 'shard 5: ./object.005.shard: missing'
  local damaged
  damaged=$(contents)
  run 1 repair . --server "$server"
  says '3 of 6 shards are missing or damaged (2, 3, 5), at most 2 can be'
  run 1 decode . --out restored --server "$server"
  says 'stripe 0'
  [ "$(contents)" = "$damaged" ] || fail "something was written"

  flip_bit object.003.shard 3
  run 0 decode . --out restored --server "$server"
  cmp object restored || fail "another object came back"
  rm restored
  run 0 repair . --server "$server"
  prints ': repaired'
  prints 'shard 2: rebuilt: ./object.002.shard'
  prints 'shard 5: rebuilt: ./object.005.shard'
  [ "$(contents)" = "$before" ] || fail "the shards are not what they were"
  run 0 repair . --server "$server"
  prints ': good'

  rm object.004.shard
  run 0 repair . --out new --server "$server"
  mv new/* .
  [ "$(contents)" = "$before" ] || fail "the shard is not what it was"
}

several_objects() {
  echo one >one
  echo two >two
  run 0 encode one --server "$server"
  run 0 encode two --server "$server"
  run 0 verify . --server "$server"
  [ "$(grep -c good "$scratch/stdout")" -eq 2 ] || fail "want two objects"
  run 2 decode . --out three --server "$server"
  says 'got shards of 2 objects, want those of one'
  head -c 1000 /dev/urandom >stray.shard
  run 1 verify . --server "$server"
  prints 'no object: ./stray.shard: magic: got'
  run 1 repair . --server "$server"
  [ "$(grep -c good "$scratch/stdout")" -eq 2 ] || fail "want two objects"
}

shard_info() {
  echo data >object
  run 0 encode object --server "$server"
  rm object.001.shard
  run 0 info .
  prints 'code rs, matrix cauchy, 4 data and 2 parity shards'
  prints '5 bytes in 1 stripes'
  prints 'shard 0, data: ./object.000.shard'
  prints 'shard 1, data: ./object.001.shard: missing'
  prints 'shard 5, parity: ./object.005.shard'
}

server_info() {
  run 0 info --server "$server"
  prints 'parityd '
  prints 'kernels: '
  prints 'scalar'
  prints 'limits: 67108864 bytes and 1024 stripes a message, 257 shards a stripe, 128 calls a connection, 64 requests'
  prints 'connections: stall timeout 30s, idle never, age never, keepalive 1m, pings at least 10s apart'
  prints 'shared memory: 1073741824 bytes a client'
  prints ' 256 clients in all, workers look for more for 50us'
  prints 'worker 0: CPU '
  prints 'node 0: '
  prints "$server"
}

kernel_tables() {
  local name names
  run 0 kernels
  prints 'chosen: '
  prints 'xor 4+1'
  names=$(sed -n '3,/^GB/s/^\([a-z0-9_]*\) .*/\1/p' "$scratch/stdout")
  [ "$(tail -n 1 <<<"$names")" = scalar ] || fail "want scalar last, got $names"
  echo data >object
  for name in $names; do
    run 0 encode object --server local --kernels "$name" --force
  done
  run 0 kernels --json
  python3 - "$names" "$scratch/stdout" <<'END' || fail "the JSON is not as described"
import json, sys

names = sys.argv[1].split()
answer = json.load(open(sys.argv[2]))
assert answer["chosen"] == names[0], answer
assert answer["reason"], answer
assert [each["name"] for each in answer["kernels"]] == names, answer
assert answer["kernels"][-1]["needs"] == [], answer
assert all(each["xor_gbps"] > 0 and each["rs_gbps"] > 0 for each in answer["kernels"]), answer
END
  run 2 kernels --kernels scalar
  says '--kernels requires --tune'
  run 2 kernels --tune --kernels abacus
  says 'abacus'
  says 'scalar'
}

kernel_tuning() {
  run 0 kernels --tune --json
  python3 - "$scratch/stdout" <<'END' || fail "the JSON is not as described"
import json, sys

answer = json.load(open(sys.argv[1]))
assert answer["kernels"], answer
assert {"xor_stream_from", "gf_align_all_from"} <= {each["name"] for each in answer["fields"]}
for field in answer["fields"]:
    assert field["value"] is None or field["value"] > 0, field
    assert field["gain"] > 0 and field["gain_over_current"] > 0, field
END
}

full_standard_output() {
  echo data >object
  run 0 encode object --server "$server"
  "$parityctl" verify . --server "$server" >/dev/full 2>"$scratch/stderr"
  [ $? -eq 4 ] || fail "want exit code 4"
  says 'standard output'
}

# interrupted SIGNAL CODE: encodes a large object and sends SIGNAL as soon as there is a temporary file.
interrupted() {
  local code
  truncate -s 1G object
  set -m # else bash has its background commands ignore SIGINT
  "$parityctl" encode object --server "$server" >"$scratch/stdout" 2>"$scratch/stderr" &
  set +m
  until compgen -G '.parity-*.tmp' >"$scratch/temporary" || ! kill -0 $!; do :; done
  kill "-$1" $!
  wait $!
  code=$?
  [ "$code" -eq "$2" ] || fail "SIG$1: exit code $code, want $2"
  says 'parityctl: interrupted by signal'
  [ "$(find . -type f)" = ./object ] || fail "SIG$1 left $(find . -type f)"
}

interrupts() {
  interrupted INT 130
  interrupted TERM 143
  interrupted HUP 129
}

if [ -n "$parityd" ]; then
  server=unix:$scratch/server.sock
  "$parityd" --listen "$server" >"$scratch/parityd.log" 2>&1 &
  server_pid=$!
  until grep -q ready "$scratch/parityd.log"; do
    if ! kill -0 "$server_pid" 2>/dev/null; then
      cat "$scratch/parityd.log"
      server_pid=
      exit 1
    fi
  done
fi
touch "$scratch/stdout" "$scratch/stderr"
for each in version help usage_errors unreachable_server round_trip matrices defaults overwriting damage \
  several_objects shard_info kernel_tables full_standard_output interrupts; do
  run_case "$each"
done
if [ -n "$parityd" ]; then
  run_case server_info
else
  run_case kernel_tuning
fi
[ "$failures" -eq 0 ]
