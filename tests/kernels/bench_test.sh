#!/bin/bash
# Runs parity_kernels_bench on a few rows and checks what it prints and returns, but no time.
#
#   bench_test.sh PARITY_KERNELS_BENCH
set -u

bench=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0

fail() {
  echo "FAILED: $*"
  echo "  standard output: $(cat "$scratch/stdout")"
  echo "  standard error: $(cat "$scratch/stderr")"
  failures=$((failures + 1))
}

# run CODE ARGUMENT...
run() {
  local want=$1
  shift
  "$bench" --rounds=1 "$@" >"$scratch/stdout" 2>"$scratch/stderr"
  local got=$?
  [ "$got" -eq "$want" ] || fail "$*: exit code $got, want $want"
}

prints() { grep -qF -e "$1" "$scratch/stdout" || fail "want '$1' printed"; }
says() { grep -qF -e "$1" "$scratch/stderr" || fail "want the error '$1'"; }

all_ops='^(xor|pq|rs|update|reconstruct|verify_xor|verify_rs)/k=4/.*len=(16|100|1111|65536)/|^verify_pq'

run 0 --json --filter="$all_ops"
says 'ratio of'
says 'rate at random alignment'
python3 - "$scratch/stdout" <<'END' || fail "the JSON is not as described"
import json, sys

rows = [json.loads(line) for line in open(sys.argv[1])]
assert {row["op"] for row in rows} == {
    "xor", "pq", "rs", "update", "reconstruct", "verify_xor", "verify_pq", "verify_rs"}
assert {row["align"] for row in rows} == {"page", "plus1", "plus32", "random"}
assert len({row["isa"] for row in rows}) == 1
for row in rows:
    assert row["k"] >= 1 and row["m"] >= 1 and row["len"] >= 16, row
    assert 0 < row["gbps"] < 10000, row
    assert row["yardstick"], row
    assert row["yardstick_gbps"] > 0, row
    assert abs(row["ratio"] * row["yardstick_gbps"] - row["gbps"]) <= 0.01 * row["gbps"] + 0.01, row
END

run 0 --isa=scalar --filter='^xor/k=2/len=64/'
prints 'xor            2   1        64  page    scalar'
prints 'geomean'

run 0 --filter='^xor/k=255/len=65536/align=page' --memory=0.01
says 'skipped: xor/k=255/len=65536/align=page'

run 0 --filter='^xor/k=2/len=16777216/align=page'
prints 'of reading alone'

run 0 --batch
prints '64 a call'

run 2 --yardstick=/nowhere/libisal.so.2
says '--yardstick: /nowhere/libisal.so.2: cannot open'
run 2 --yardstick=libm.so.6
says 'not an ISA-L'
run 2 --isa=abacus
says 'scalar'
run 2 --filter=abacus
says 'abacus'
run 2 --filter='('
run 2 --batch --json
run 2 --frobnicate
[ "$failures" -eq 0 ]
