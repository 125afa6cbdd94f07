#!/bin/sh
# The metrics of a real parityd under load, its readiness while it drains, and its options.
#   metrics_test.sh PARITYD PARITYCTL
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
  for file in log metrics; do [ ! -f "$work/$file" ] || tail -40 "$work/$file" >&2; done
  exit 1
}
# get PATH: its body, and its status as the last line
get() {
  /usr/bin/python3 - "$url$1" <<'PYTHON'
import sys, urllib.error, urllib.request
try:
    answer = urllib.request.urlopen(sys.argv[1], timeout=30)
except urllib.error.HTTPError as error:
    answer = error
print(answer.read().decode(), answer.status, sep="")
PYTHON
}
# value METRIC: that of the metric with these labels
value() { awk -v name="$1" '$1 == name { print $2 }' "$work/metrics"; }
scrape() { get metrics >"$work/metrics"; }
# above METRIC NUMBER
above() { awk -v a="$(value "$1")" -v b="$2" 'BEGIN { exit !(a != "" && a + 0 > b) }' || fail "$1 is '$(value "$1")', want above $2"; }

: >"$work/log"
"$parityd" --listen 127.0.0.1:0 --listen "unix:$work/p.sock" --metrics 127.0.0.1:0 --drain-delay 600 2>"$work/log" &
server=$!
until grep -q ' ready$' "$work/log"; do
  kill -0 "$server" 2>/dev/null || fail "the server did not start"
  sleep 0.02
done
url=$(sed -n 's/.* metrics on //p' "$work/log")
tcp=$(sed -n 's/.* listening on \(127[^ ]*\)$/\1/p' "$work/log")

scrape
[ "$(value 'parityd_requests_total{op="encode",transport="grpc",code="OK"}')" = 0 ] || fail "it begins with requests"
above process_resident_memory_bytes 1000000
above process_open_fds 3

# Each transport and operation, and errors by code.
for operation in encode reconstruct verify update; do
  for address in "$tcp" "unix:$work/p.sock"; do
    "$parityctl" bench --server "$address" --operation "$operation" --threads 2 --duration 0.2 --warmup 0 --quiet \
      --shard-bytes 64K
  done
done
scrape
for operation in encode reconstruct verify update; do
  for transport in grpc ring; do
    labels="op=\"$operation\",transport=\"$transport\""
    above "parityd_requests_total{$labels,code=\"OK\"}" 0
    above "parityd_stripes_total{$labels}" 0
    above "parityd_source_bytes_total{$labels}" 65535
    [ "$operation" = verify ] || above "parityd_computed_bytes_total{$labels}" 65535
  done
done
for transport in grpc ring; do
  above "parityd_request_queue_seconds_count{transport=\"$transport\"}" 0
  above "parityd_request_compute_seconds_sum{transport=\"$transport\"}" 0
  above "parityd_batch_slices_count{transport=\"$transport\"}" 0
done
grep -q '^parityd_worker_busy_seconds_total{worker="0",transport="grpc",cpu="[0-9]*",node="[0-9]*"} [0-9.e-]*[1-9]' "$work/metrics" ||
  fail "no busy time"
grep -q '^parityd_run_bytes_count{alignment="equal"} ' "$work/metrics" || fail "no runs"
above parityd_accepted_connections_total 0

# While it drains it is not ready, and serves; a second signal ends the delay.
[ "$(get readyz | tail -1)" = 200 ] || fail "not ready"
"$parityd" --listen "unix:$work/p.sock" --probe || fail "the probe: not serving"
kill -TERM "$server"
until [ "$(get readyz | tail -1)" = 503 ]; do sleep 0.02; done
until ! "$parityd" --listen "unix:$work/p.sock" --probe 2>"$work/probe"; do sleep 0.02; done
grep -q 'NOT_SERVING$' "$work/probe" || fail "the probe says $(cat "$work/probe")"
"$parityctl" bench --server "$tcp" --threads 1 --duration 0.1 --warmup 0 --quiet || fail "it does not serve while it drains"
scrape
[ "$(value parityd_draining)" = 1 ] || fail "it does not say that it drains"
[ "$(value parityd_serving)" = 0 ] || fail "it says that it serves"
above parityd_drain_started_timestamp_seconds 1600000000
kill -TERM "$server"
wait "$server" || fail "exit code after SIGTERM"
server=
grep -q 'not ready from now on, serving for 600 s more$' "$work/log" || fail "the log"

# What it refuses.
code=0
"$parityd" --metrics nonsense 2>"$work/log" || code=$?
[ "$code" -eq 2 ] || fail "--metrics nonsense: $code"
grep -q 'metrics: got nonsense, want HOST:PORT' "$work/log" || fail "--metrics nonsense"
code=0
"$parityd" --listen "unix:$work/p.sock" --metrics 192.0.2.1:1 2>"$work/log" || code=$?
[ "$code" -eq 1 ] || fail "--metrics 192.0.2.1:1: $code"
grep -q 'metrics: 192.0.2.1:1: ' "$work/log" || fail "--metrics 192.0.2.1:1"
if command -v promtool >/dev/null; then
  sed '$d' "$work/metrics" | promtool check metrics || fail "promtool"
else
  echo "metrics_test: not checked by promtool: Debian's package prometheus is not installed"
fi
echo "all passed"
