#!/bin/bash
# Runs parity_transport_bench on a few rows and every scenario, and checks what it prints and returns,
# but no rate.
#
#   bench_test.sh PARITY_TRANSPORT_BENCH
set -u

bench=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export TMPDIR=$scratch
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
  "$bench" "$@" >"$scratch/stdout" 2>"$scratch/stderr"
  local got=$?
  [ "$got" -eq "$want" ] || fail "$*: exit code $got, want $want"
  local left
  left=$(find "$scratch" -name 'parity_transport_bench.*')
  [ -z "$left" ] || fail "$*: left behind: $left"
}

prints() { grep -qE -e "$1" "$scratch/stdout" || fail "want '$1' printed"; }
says() { grep -qF -e "$1" "$scratch/stderr" || fail "want the error '$1'"; }

# rows: checks the rows on standard output.
rows() {
  python3 - "$scratch/stdout" <<'END' || fail "the JSON is not as described"
import json, sys

rows = [json.loads(line) for line in open(sys.argv[1])]
assert rows
for row in rows:
    assert list(row) == ["transport", "mode", "shard_bytes", "stripes_per_message", "connections",
                         "gbps", "socket_gbps", "ratio", "naive_gbps", "stripes_per_s", "p50_us",
                         "p99_us", "server_cpu_s_per_gb"], row
    assert row["transport"] in ("tcp", "unix") and row["mode"] in ("unary", "stream"), row
    assert row["shard_bytes"] >= 4096 and row["stripes_per_message"] >= 1, row
    assert row["connections"] >= 1, row
    for name in ("gbps", "socket_gbps", "naive_gbps"):
        assert 0 < row[name] < 1000, row
    assert abs(row["ratio"] * row["socket_gbps"] - row["gbps"]) <= 1e-6 * row["gbps"], row
    assert 0 < row["p50_us"] <= row["p99_us"], row
    assert row["server_cpu_s_per_gb"] > 0, row
END
}

# shm_rows COUNT: checks so many rows of shared memory on standard output.
shm_rows() {
  python3 - "$scratch/stdout" "$1" <<'END' || fail "the JSON of shared memory is not as described"
import json, sys

rows = [json.loads(line) for line in open(sys.argv[1])]
assert len(rows) == int(sys.argv[2]), rows
for row in rows:
    assert list(row) == ["transport", "mode", "code", "data_shards", "parity_shards", "shard_bytes",
                         "stripes_per_message", "connections", "depth", "gbps", "local_gbps",
                         "ratio", "read_limit_gbps", "stripes_per_s", "local_stripes_per_s",
                         "p50_us", "p99_us", "server_cpu_s_per_gb", "unary_p50_us", "checked"], row
    assert row["transport"] == "shm", row
    assert row["mode"] in ("reused", "walked", "written", "paused"), row
    assert row["code"] in ("xor", "raid6", "rs"), row
    for name, value in row.items():
        if name == "unary_p50_us" and (row["depth"], row["mode"]) != (1, "reused"):
            assert value is None, row
        elif not isinstance(value, str):
            assert value > 0, row
    assert abs(row["ratio"] * row["local_gbps"] - row["gbps"]) <= 1e-6 * row["gbps"], row
    assert row["p50_us"] <= row["p99_us"], row
    # Every slot once, and the first job of the round.
    assert row["checked"] > row["depth"], row
END
}

# figure NAME CONDITION: what the scenario printed under the name, as the condition's x.
figure() {
  python3 -c '
import json, sys
x = json.load(open(sys.argv[1]))[sys.argv[2]]
sys.exit(not eval(sys.argv[3]))' "$scratch/stdout" "$1" "$2" || fail "want $1: $2"
}

short=(--json --rounds=1 --seconds=0.1)

run 0 "${short[@]}" --filter='unary/shard=(4096|1048576)/.*connections=1'
rows
says 'machine: '
says 'code: xor, 4 + 1 shards'
run 0 "${short[@]}" --subject=naive --filter='unix/stream/shard=4096/'
rows
run 0 "${short[@]}" --filter='tcp/stream/shard=(4096/stripes=64|262144)/.*connections=2' --gather=8
rows
run 0 "${short[@]}" --code=rs --data=10 --parity=4 --kernels=scalar --filter='unix/unary/shard=65536/'
rows
says 'kernels: scalar; code: rs, 10 + 4 shards'
run 0 "${short[@]}" --code=raid6 --data=3 --depth=3 --filter='tcp/unary/shard=65536/.*connections=2'
rows

run 0 --rounds=1 --seconds=0.1 --filter='unix/unary/shard=65536/.*connections=1'
prints '^machine: '
prints '^unix +unary +65536 +1 +1 '
prints '^runs of at most bytes +aligned +equal +mixed '

run 0 "${short[@]}" --shm --quick --filter='shard=4096/|shard=65536/stripes=16/'
shm_rows 5
run 0 "${short[@]}" --shm --spin=0 --server-option=--shm-spin=0 --filter='(raid6|rs).*reused|/written'
shm_rows 4
run 0 --rounds=1 --seconds=0.1 --shm --filter='stripes=64/'
prints '^xor 4\+1 +reused +4096 +64 +4 '

run 0 "${short[@]}" --scenario=mixed
figure scenario 'x == "mixed"'
figure p99_alone_us 'x > 0'
figure p99_mixed_us 'x > 0'
figure p99_ratio 'x > 0'
run 0 "${short[@]}" --scenario=halfload
figure offered_stripes_per_s 'x > 0'
figure p99_us 'x > 0'
run 0 "${short[@]}" --scenario=workers
figure ratio 'x > 0'
figure work_per_cpu_s_ratio 'x > 0'
run 0 --json --seconds=2 --scenario=overload
figure goodput_ratio 'x > 0'
figure failed 'x == 0'
figure rss_peak_bytes 'x > 1 << 20'
run 0 --json --scenario=idle --connections=20
figure connections 'x == 20'
figure rss_after_bytes 'x > 1 << 20'

run 2 --frobnicate
says --frobnicate
run 2 --filter='('
says --filter
run 2 --filter=abacus
says --filter
run 2 --scenario=abacus
says --scenario
run 2 --shm --filter='^unix/'
says --filter
run 2 --shm --scenario=idle
says --shm
run 2 --shm --code=rs
says --shm
run 2 --spin=5
says --shm
run 2 --scenario=idle --quick
says --quick
run 2 --subject=abacus
says --subject
run 2 --code=abacus
says --code
run 2 --data=300
says --data
run 2 --kernels=abacus
says --kernels
run 2 --seconds=0
says --seconds
run 2 --rounds=0
says --rounds
run 2 --depth=0
says --depth
run 2 --connections=0
says --connections
run 2 --server=/nowhere/parityd
says --server
run 1 --server=/bin/true
says 'subject does not serve'
[ "$failures" -eq 0 ]
