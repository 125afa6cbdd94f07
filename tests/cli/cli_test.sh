#!/bin/bash
# Runs parityctl as a user does and checks what it prints, writes and returns.
#
#   cli_test.sh PARITYCTL [PARITYD]
# shellcheck source=tests/cli/harness.sh
source "$(dirname "$0")/harness.sh"

version() {
  run 0 --version
  grep -qE '^parityctl [0-9]+\.[0-9]+\.[0-9]+ \(.+\)$' "$scratch/stdout" || fail "want the version"
}

help() {
  local command option
  run 0 --help
  for command in encode verify repair update decode info kernels; do prints "$command"; done
  prints 'Exit codes:'
  for command in encode verify repair update decode info; do
    run 0 "$command" --help
    prints 'Exit codes:'
    prints "  parityctl $command "
    prints '--server ADDR'
    prints '--timeout SECONDS=30'
  done
  for command in encode verify repair update decode; do
    run 0 "$command" --help
    for option in --policy --connections --json --quiet; do prints "$option"; done
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
  says '--data: got 0'
  run 2 encode object --server "$server" --data 200 --parity 57
  run 2 encode object --server "$server" --code xor --parity 2
  says '--parity: got 2'
  run 2 encode object --server "$server" --code rot13
  says '--code: rot13 not in {rs,raid6,xor}'
  run 2 encode object --server "$server" --matrix identity
  says '--matrix: identity not in {cauchy,vandermonde,systematic-vandermonde}'
  run 2 encode object --server "$server" --matrix custom
  says '--matrix: custom not in'
  run 2 encode object --server "$server" --code raid6 --matrix cauchy
  says '--matrix: '
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
  run 2 encode object --server localhost --server localhost
  run 2 encode object --server local --server unix:x
  says '--server: got local and a server'
  run 2 encode object --policy sometimes
  says '--policy: sometimes not in {remote-only,prefer-remote,prefer-local,fastest}'
  run 2 encode object --server local --policy remote-only
  says '--policy: '
  run 2 encode object --connections 0
  says '--connections: got 0'
  run 2 encode object --kernels scalar --policy remote-only
  says '--kernels: not with --policy remote-only'
  run 2 encode object --server local --kernels abacus
  says '--kernels: got abacus'
  says 'scalar'
  run 2 verify
  run 2 verify .
  says 'no shard files'
  run 2 decode .
  run 2 info object.000.shard --server "$server"
  run 2 info --server local
  says '--server: got local'
  [ "$(ls)" = $'fifo\nobject' ] || fail "something was written"
}

unreachable_server() {
  echo data >object
  run 3 encode object --policy remote-only --server "unix:$PWD/nobody.sock"
  says "unix:$PWD/nobody.sock"
  run 3 info --server "unix:$PWD/nobody.sock"
  [ "$(contents | wc -l)" -eq 1 ] || fail "something was written"
}

# A command without --policy goes on without a server, and says so in one line.
fallback() {
  local policy
  head -c 20000000 /dev/urandom >object
  "$parityctl" encode object --server "unix:$PWD/nobody.sock" >"$scratch/stdout" 2>"$scratch/stderr" ||
    fail "want exit code 0"
  [ "$(wc -l <"$scratch/stderr")" -eq 1 ] || fail "want one line of notice"
  says 'parityctl: parity is computed in this process: '
  run 0 verify . --quiet --server "unix:$PWD/nobody.sock"
  [ ! -s "$scratch/stdout" ] || fail "want nothing printed"
  run 0 verify . --policy prefer-local --server "unix:$PWD/nobody.sock"
  run 0 verify . --policy fastest --quiet --server "unix:$PWD/nobody.sock" --kernels scalar
  for policy in remote-only prefer-remote prefer-local fastest; do
    [ "$server$policy" = localremote-only ] || run 0 verify . --policy "$policy" --server "$server"
  done
}

several_servers() {
  [ "$server" != local ] || return 0
  head -c 20000000 /dev/urandom >object
  run 0 encode object --policy remote-only --server "unix:$PWD/nobody.sock" --server "$server"
  run 0 verify . --policy remote-only --server "$server" --server 127.0.0.1:1 --connections 2
  run 0 info --server "unix:$PWD/nobody.sock" --server "$server"
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
  # Only what belonged to the object that is replaced goes.
  echo precious >object.200.shard
  run 0 encode object --data 2 --parity 1 --server "$server" --force
  prints 'removed: ./object.005.shard'
  [ "$(cat object.200.shard)" = precious ] || fail "a file that is no shard of the object was removed"
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

# What is odd about one file is said, and the other objects are dealt with.
odd_files() {
  local each before
  for each in one two three; do
    head -c 100000 /dev/urandom >"$each"
    run 0 encode "$each" --server "$server"
  done
  rm one.001.shard three.004.shard
  mkfifo fifo.shard
  cp two.003.shard two-copy.shard
  run 1 verify one.000.shard fifo.shard --server "$server"
  prints 'no object: fifo.shard: not a regular file'
  run 2 verify . --server "$server"
  says 'are both shard 3 of object'
  [ "$(grep -c '^object .*: damaged' "$scratch/stdout")" -eq 2 ] || fail "want two damaged objects"
  run 2 repair . --server "$server"
  says 'are both shard 3 of object'
  [ "$(grep -c '^object .*: repaired' "$scratch/stdout")" -eq 2 ] || fail "want two repaired objects"
  run 2 decode two*.shard --out out --server "$server"
  run 2 update two*.shard --offset 0 --data-file one --server "$server"
  rm two-copy.shard
  run 0 decode three*.shard fifo.shard --out out --server "$server"
  cmp three out || fail "another object came back"

  # A later version is not damage: nothing takes the place of such a file.
  python3 - one.002.shard <<'END'
import struct, sys

with open(sys.argv[1], "r+b") as file:
    header = bytearray(file.read(124))
    header[8] = 2
    crc = 0xFFFFFFFF
    for byte in header:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    file.seek(0)
    file.write(header + struct.pack("<I", crc ^ 0xFFFFFFFF))
END
  before=$(contents)
  run 1 verify one.*.shard --server "$server"
  prints 'one.002.shard: format_version: got 2, want 1'
  run 4 repair one.*.shard --server "$server"
  says 'one.002.shard: format_version: got 2, want 1'
  [ "$(contents)" = "$before" ] || fail "something was written"
  flip_bit two.001.shard 3
  run 1 info two*.shard
}

fewer_shards() {
  echo data >object
  run 0 encode object --data 4 --parity 3 --server "$server"
  echo keep >object.007.shard.bak
  run 0 encode object --data 2 --parity 1 --force --server "$server"
  prints 'removed: ./object.003.shard'
  prints 'removed: ./object.006.shard'
  run 0 verify . --server "$server"
  [ "$(grep -c good "$scratch/stdout")" -eq 1 ] || fail "want one object"
  [ "$(compgen -G 'object.*' | wc -l)" -eq 4 ] || fail "want 3 shards and the other file"
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

start_server
run_cases version help usage_errors unreachable_server fallback several_servers round_trip matrices defaults \
  overwriting damage several_objects odd_files fewer_shards shard_info kernel_tables full_standard_output interrupts
if [ -n "$parityd" ]; then
  run_cases server_info
else
  run_cases kernel_tuning
fi
[ "$failures" -eq 0 ]
