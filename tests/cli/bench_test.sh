#!/bin/bash
# Runs parityctl bench as a user does and checks what it prints and returns, not how fast it is.
#
#   bench_test.sh PARITYCTL [PARITYD]
# shellcheck source=tests/cli/harness.sh
source "$(dirname "$0")/harness.sh"

# bench CODE ARGUMENT...: as run, of the server.
bench() { run "$1" bench --server "$server" "${@:2}"; }

# json_shows CONDITION: of the JSON printed, r, beside what always holds.
json_shows() {
  python3 - "$scratch/stdout" "$1" <<'END' || fail "the JSON is not as described, or not: $1"
import json, sys

r = json.load(open(sys.argv[1]))
for each in (r["latency"], r["service"]):
    assert each["count"] == sum(count for _, _, count in each["buckets"]), each
    assert all(low <= high for low, high, _ in each["buckets"]), each
    quantiles = [each[q + "_us"] for q in ("p50", "p90", "p99", "p99_9", "p99_99", "max")]
    assert quantiles == sorted(quantiles) and quantiles[0] > 0, each
assert r["service"]["count"] == r["calls"] == sum(r["operations"].values()) > 0, r
if r["loop"] == "open":
    assert r["latency"]["count"] == r["calls"] + r["unfinished_calls"], r
    assert r["expected_interval_us"] is None and r["rate"] > 0, r
else:
    assert r["latency"]["count"] >= r["calls"] and r["unfinished_calls"] == 0, r
    assert r["expected_interval_us"] > 0 and r["rate"] is None and r["arrivals"] is None, r
assert r["seconds"] > 0 and r["calls_per_second"] > 0 and r["data_gbps"] > 0, r
assert r["errors"] == [] and r["mismatch"] is None, r
assert eval(sys.argv[2]), r
END
}

help() {
  local option
  bench 0 --help
  for option in --rate --arrivals --threads --duration --warmup --operation --mix --shard-bytes --lost --data \
    --parity --code --matrix --unaligned --copy --check --json 'JSON keys:' 'Exit codes:'; do
    prints "$option"
  done
}

usage_errors() {
  bench 2 --shard-bytes 4X
  says '--shard-bytes: got 4X, want SIZE'
  bench 2 --mix encode=1,decode=2
  says '--mix: got encode=1,decode=2, want OPERATION'
  bench 2 --operation decode
  says '--operation: got decode'
  bench 2 --mix encode --operation verify
  bench 2 --threads 0
  says '--threads: got 0, want 1 to'
  bench 2 --rate fast
  says '--rate: got fast, want'
  bench 2 --arrivals poisson
  says '--arrivals requires --rate'
  bench 2 --rate 5 --arrivals late
  says 'got late, want constant or poisson'
  bench 2 --lost 3
  says '--lost: got 3, want 1 to 2'
  bench 2 --data 0
  says '--data: got 0'
}

closed_loop() {
  bench 0 --duration 0.5 --warmup 0.1 --threads 2
  prints '4+2 shards (rs) of 65536 bytes, 2 threads, closed loop'
  prints 'p99.99'
  prints 'errors: 0'
  bench 0 --duration 0.5 --warmup 0 --threads 3 --code xor --json --copy
  json_shows 'r["loop"] == "closed" and r["threads"] == 3 and r["parity_shards"] == 1'
  json_shows 'not r["shared_memory"] and r["operations"]["encode"] == r["calls"]'
}

open_loop() {
  bench 0 --duration 0.5 --warmup 0 --rate 100 --arrivals poisson
  prints '100 calls/s due, Poisson arrivals'
  bench 0 --duration 0.5 --warmup 0 --rate 100 --json
  json_shows 'r["loop"] == "open" and r["rate"] == 100 and r["arrivals"] == "constant"'
  json_shows 'r["latency"]["count"] == 50'
}

checked() {
  local where
  for where in --unaligned --copy --seed=2; do
    bench 0 --duration 0.5 --warmup 0 --check --json --mix encode=4,reconstruct=2,verify=2,update=2 \
      --shard-bytes 1=1,4K=4,64K=4,200001=1 --data 6 --parity 3 --lost 3 "$where"
    json_shows 'r["checked_calls"] == r["calls"] and all(r["operations"].values())'
    json_shows '[each["bytes"] for each in r["shard_bytes"]] == [1, 4096, 65536, 200001]'
  done
  bench 0 --duration 0.2 --warmup 0 --check --operation verify
  prints 'every shard is right'
}

of_a_server() {
  bench 0 --duration 0.5 --warmup 0 --json
  json_shows 'r["shared_memory"]'
  json_shows 'r["client"]["calls"] > r["calls"] and r["client"]["servers"][0]["address"].startswith("unix:")'
  json_shows 'r["client"]["remote_slices"] >= r["calls"] and r["client"]["fallback_slices"] == 0'
  bench 0 --duration 0.5 --warmup 0 --check
  prints 'shards in shared memory'
  prints "server $server: "
  server=unix:$scratch/nobody.sock bench 3 --duration 1000
  says "unix:$scratch/nobody.sock"
}

# There are threads of the load: it is under way.
interrupt() {
  set -m # else bash has its background commands ignore SIGINT
  "$parityctl" bench --server "$server" --duration 1000 --warmup 0 --threads 20 --json \
    >"$scratch/stdout" 2>"$scratch/stderr" &
  set +m
  until [ "$(find "/proc/$!/task" -mindepth 1 -maxdepth 1 2>/dev/null | wc -l)" -gt 20 ]; do
    kill -0 $! || break
  done
  kill -INT $!
  wait $!
  local code=$?
  [ "$code" -eq 130 ] || fail "exit code $code, want 130"
  python3 -c 'import json, sys; assert json.load(sys.stdin)["seconds"] < 1000' <"$scratch/stdout" ||
    fail "want the result so far"
}

start_server
run_cases help usage_errors closed_loop open_loop checked interrupt
[ -z "$parityd" ] || run_cases of_a_server
[ "$failures" -eq 0 ]
