#!/bin/bash
# parityctl update: what it changes, what it refuses, and what a killed one leaves.
#
#   update_test.sh PARITYCTL [PARITYD]
# shellcheck source=tests/cli/harness.sh
source "$(dirname "$0")/harness.sh"

# replace FILE OFFSET: puts standard input into FILE
replace() { dd of="$1" bs=1M oflag=seek_bytes seek="$2" conv=notrunc status=none; }

# The shards decode to `object`, and parity fits.
is_object() {
  run 0 verify . --server "$server"
  run 0 decode . --out decoded --server "$server" --force
  cmp object decoded || fail "another object came back"
  rm decoded
}

ranges() {
  local offset
  head -c 9000000 /dev/urandom >object
  run 0 encode object --server "$server"
  for offset in 0 1 65535 1048570 4194300 8999000; do
    head -c 1000 /dev/urandom >new
    replace object "$offset" <new
    run 0 update . --offset "$offset" --data-file new --server "$server"
    prints '1000 bytes replaced'
    is_object
  done
  head -c 9000000 /dev/urandom >object
  run 0 update . --offset 0 --data-file object --server "$server"
  is_object
}

standard_input() {
  head -c 3000000 /dev/urandom >object
  run 0 encode object --server "$server"
  head -c 2000000 /dev/urandom >new
  replace object 500000 <new
  # Slowly, so that it comes in pieces.
  (head -c 1000000 new && sleep 0.2 && tail -c 1000000 new) |
    "$parityctl" update . --offset 500000 --server "$server" >"$scratch/stdout" 2>"$scratch/stderr" ||
    fail "want exit code 0"
  prints '2000000 bytes replaced'
  is_object
  "$parityctl" update . --offset 2999999 <new >"$scratch/stdout" 2>"$scratch/stderr" --server "$server"
  [ $? -eq 2 ] || fail "want exit code 2"
  says 'standard input: got more than 1 bytes'
  is_object
}

# One stripe of 4 cells of 250000 bytes.
data_shard() {
  head -c 1000000 /dev/urandom >object
  run 0 encode object --server "$server"
  head -c 300 /dev/urandom >new
  replace object $((2 * 250000 + 10)) <new
  run 0 update . --shard 2 --shard-offset 10 --data-file new --server "$server"
  prints 'written in shards 2, 4, 5'
  is_object
}

refusals() {
  head -c 1000000 /dev/urandom >object
  run 0 encode object --server "$server"
  head -c 1000 object >new
  local before
  before=$(contents)
  run 2 update . --data-file new
  says '--offset, --shard: got both or none'
  run 2 update . --data-file new --offset 0 --shard 1 --shard-offset 0
  run 2 update . --data-file new --shard 1
  run 2 update . --data-file new --shard 4 --shard-offset 0 --server "$server"
  says '--shard: got 4, want 0 to 3'
  run 2 update . --data-file new --offset 1000001 --server "$server"
  says '--offset: got 1000001, want at most 1000000'
  run 2 update . --data-file new --shard 3 --shard-offset 249001 --server "$server"
  says '--data-file: got 1000 bytes, want at most 999'
  run 2 update . --data-file missing --offset 0 --server "$server"
  [ "$(contents)" = "$before" ] || fail "something was written"

  flip_bit object.001.shard 70000
  before=$(contents)
  run 1 update . --data-file new --offset 320000 --server "$server"
  says 'shard 1: ./object.001.shard: block 1 does not match the checksum'
  says 'repair first'
  mv object.005.shard away
  run 1 update . --data-file new --offset 0 --server "$server"
  says 'shard 5: ./object.005.shard: missing; an update takes all shards: repair first'
  mv away object.005.shard
  [ "$(contents)" = "$before" ] || fail "something was written"
}

# There is a journal in each, and none is left.
two_directories() {
  head -c 1000000 /dev/urandom >object
  run 0 encode object --server "$server" --out a
  mkdir b
  mv a/object.00[135].shard b
  head -c 400000 /dev/urandom >new
  replace object 100000 <new
  run 0 update a b --offset 100000 --data-file new --server "$server"
  run 0 verify a b --server "$server"
  run 0 decode a b --out decoded --server "$server"
  cmp object decoded || fail "another object came back"
  [ -z "$(find . -name '*parity*')" ] || fail "left $(find . -name '*parity*')"
  run 1 update a --offset 0 --data-file new --server "$server"
}

# Killed at any time it leaves the old object or, after a repair, the new one; and no command takes
# what is in between for good.
killed() {
  local round decoded old new
  head -c 40000000 /dev/urandom >object
  head -c 30000000 /dev/urandom >new_bytes
  run 0 encode object --server "$server"
  cp object new
  replace new 5000000 <new_bytes
  old=$(sha256sum <object)
  new=$(sha256sum <new)
  for round in {1..20}; do
    "$parityctl" update . --offset 5000000 --data-file new_bytes --server "$server" \
      >"$scratch/stdout" 2>"$scratch/stderr" &
    sleep "0.$(printf %02d $((round * 4)))"
    kill -KILL $! 2>/dev/null
    wait $!
    if compgen -G 'parity-*.journal' >"$scratch/journals"; then
      run 1 verify . --server "$server"
      prints 'an update was interrupted: repair finishes it'
      run 1 decode . --out decoded --server "$server"
      run 1 info .
      prints 'unfinished update: ./parity-'
      run 0 repair . --server "$server"
    fi
    run 0 verify . --server "$server"
    run 0 decode . --out decoded --server "$server"
    decoded=$(sha256sum <decoded)
    [ "$decoded" = "$old" ] || [ "$decoded" = "$new" ] || fail "round $round: a mix"
    [ ! -s "$scratch/journals" ] || [ "$decoded" = "$new" ] || fail "round $round: want the new object"
    run 0 update . --offset 0 --data-file object --server "$server"
    rm -f decoded .parity-*.tmp
  done 2>/dev/null # bash reports the kills
}

start_server
run_cases ranges standard_input data_shard refusals two_directories killed
[ "$failures" -eq 0 ]
