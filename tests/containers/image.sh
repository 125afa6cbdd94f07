#!/bin/sh
# Builds the container image and runs it as the manifests ask for it: not root, without capabilities or
# a shell's help, files that cannot be written, 256 MiB, half a CPU. What it does there, and what it costs.
#
#   tests/containers/image.sh
#
# Prints size, time to the first answer, memory and CPU when idle beside their limits; exits 0 only if all
# is within them, or if there is no podman to be had or it may not be used, which it says. A command of
# its own, as tests/containers/run.sh, which says more. Takes some three minutes, and as long as it takes
# to compile, and to fetch the base where there is none. The image stays in build/containers.
set -eu
cd "$(dirname "$0")/../.."
campaign=image
. tests/containers/podman.sh

max_image_mb=150 max_start_ms=1000 max_idle_mb=40 max_idle_cpu=0.5 idle_seconds=30

# start NAME OPTIONS ARGUMENT...: the image under the manifests' limits, until it is healthy
start() {
  name=$1 options=$2
  shift 2
  mkdir -p "$work/$name"
  chown 10001:10001 "$work/$name"
  # shellcheck disable=SC2086 # a list of words
  podman run --detach --name "$name" --network host --read-only --cap-drop all \
    --security-opt no-new-privileges --memory 256m --memory-swap 256m --cpus 0.5 --pids-limit 128 \
    --volume "$work/$name:/run/parityd" --env PARITYD_LISTEN=unix:/run/parityd/parityd.sock \
    $options "$image" "$@" >/dev/null 2>"$work/$name.log" || fail "$name did not start"
  until podman exec "$name" /usr/bin/parityd --probe 2>"$work/probe.log"; do
    podman logs "$name" >"$work/$name.log" 2>&1
    [ "$(state "$name" Running)" = true ] || fail "$name has ended"
    sleep 0.02
  done
}
state() { podman inspect --format "{{.State.$2}}" "$1"; }
pid() { state "$1" Pid; }
# stop NAME: by SIGTERM; it must end by itself with exit code 0
stop() {
  podman stop --time 30 "$1" >/dev/null
  podman logs "$1" >"$work/$1.log" 2>&1
  [ "$(state "$1" ExitCode)" = 0 ] || fail "$1: exit code $(state "$1" ExitCode)"
  contains "$work/$1.log" ' stopped$'
  podman rm "$1" >/dev/null
}
# within WHAT VALUE LIMIT UNIT
within() {
  echo "image: $1: $2 $4, at most $3"
  awk -v value="$2" -v limit="$3" 'BEGIN { exit !(value <= limit) }' || fail "$1: $2 $4, want at most $3"
}
# in_image COMMAND...: what it prints, in the image
in_image() {
  program=$1
  shift
  podman run --rm --network none --entrypoint "$program" "$image" "$@"
}

build_image
parityctl=$work/parityctl
container=$(podman create "$image")
podman cp "$container:/usr/bin/parityctl" "$parityctl"
podman rm "$container" >/dev/null

echo "image: what it says of itself"
label() { podman inspect --format "{{index .Config.Labels \"org.opencontainers.image.$1\"}}" "$image"; }
[ "$(label revision)" = "$revision" ] || fail "revision: got $(label revision), want $revision"
[ "$(label title) $(label licenses)" = 'parityd Apache-2.0' ] || fail "title or licenses are wrong"
[ "parityd $(label version) ($revision)" = "$(in_image /usr/bin/parityd --version)" ] ||
  fail "version: got $(in_image /usr/bin/parityd --version)"
[ "$(podman inspect --format '{{.Config.User}} {{.Config.StopSignal}}' "$image")" = '10001:10001 SIGTERM' ] ||
  fail "user or signal to stop are wrong"

echo "image: the list of packages is what dpkg has"
in_image /bin/cat /usr/share/doc/parityd/sbom.spdx.json >"$work/sbom.json"
# shellcheck disable=SC2016 # dpkg-query's own
in_image /usr/bin/dpkg-query --show --showformat='${Package} ${Version}\n' | sort >"$work/packages"
python3 - "$work/sbom.json" <<'END' | sort >"$work/listed" || fail "the list is not as SPDX wants it"
import json, re, sys

bill = json.load(open(sys.argv[1]))
assert bill["spdxVersion"] == "SPDX-2.3" and bill["documentNamespace"], bill
ids = [package["SPDXID"] for package in bill["packages"]]
assert len(set(ids)) == len(ids), "an identifier is there twice"
assert all(re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", each) for each in ids), ids
assert {each["relatedSpdxElement"] for each in bill["relationships"]} <= set(ids), bill
for package in bill["packages"]:
    print(package["name"], package["versionInfo"])
END
diff "$work/packages" "$work/listed" || fail "the list is of other packages"
grep -q '^parityd ' "$work/packages" || fail "parityd is not one of the packages"
if grep -- '-dev ' "$work/packages"; then fail "headers are in the image"; fi

size=$(podman inspect --format '{{.Size}}' "$image")
echo "image: the largest packages, in KiB"
# shellcheck disable=SC2016 # dpkg-query's own
in_image /usr/bin/dpkg-query --show --showformat='${Installed-Size} ${Package}\n' | sort -rn | head -n 12
echo "image: the base $(($(podman inspect --format '{{.Size}}' "$base") / 1000000)) MB"
within size $((size / 1000000)) "$max_image_mb" MB

echo "image: workers as the CPU quota allows, on the CPUs that it may use"
last=$(($(nproc) - 1))
podman run --rm --cpus 0.5 --cpuset-cpus "$last" "$image" --print-topology=json >"$work/topology.json"
python3 - "$work/topology.json" "$last" <<'END' || fail "the workers are not as they should be"
import json, sys

topology, cpu = json.load(open(sys.argv[1])), int(sys.argv[2])
assert [worker["cpu"] for worker in topology["workers"]] == [cpu], topology["workers"]
assert topology["cpu_quota"] == 0.5, topology["cpu_quota"]
assert cpu not in topology["outside_cpuset"], topology["outside_cpuset"]
END
start server "--cpuset-cpus $last"
for task in "/proc/$(pid server)/task"/*; do
  allowed=$(sed -n 's/^Cpus_allowed_list:\t//p' "$task/status")
  [ "$allowed" = "$last" ] || fail "a thread may run on CPUs $allowed, want $last"
done
status=/proc/$(pid server)/status
[ "$(sed -n 's/^CapEff:\t//p' "$status")" = 0000000000000000 ] || fail "it has capabilities"
contains "$status" '^NoNewPrivs:.1$'
contains "$status" '^Uid:.10001.10001.10001.10001$'
"$parityctl" bench --server "unix:$work/server/parityd.sock" --duration 1 --warmup 0 --check >"$work/bench.log" 2>&1 ||
  fail "it does not serve"
stop server

echo "image: from nothing to the first answer"
for _ in 1 2 3 4 5; do
  start server ""
  podman logs server >"$work/server.log" 2>&1
  started=$(date --date="$(podman inspect --format '{{.State.StartedAt.Format "2006-01-02T15:04:05.000000Z07:00"}}' server)" +%s%3N)
  ready=$(date --date="$(sed -n 's/ info ready$//p' "$work/server.log")" +%s%3N)
  echo $((ready - started))
  stop server
done >"$work/starts"
within 'time from the start to ready, median of 5' "$(sort -n "$work/starts" | sed -n 3p)" "$max_start_ms" ms

echo "image: idle for $idle_seconds s"
start server ""
# cpu_us: what the container has used; its control group is of version 1 or 2
cpu_us() {
  group=$(sed -n 's/^[0-9]*:cpu[^:]*:\|^0:://p' "/proc/$(pid server)/cgroup" | head -n 1)
  for place in cpuacct cpu,cpuacct; do
    if [ -e "/sys/fs/cgroup/$place$group/cpuacct.usage" ]; then
      echo $(($(cat "/sys/fs/cgroup/$place$group/cpuacct.usage") / 1000))
      return
    fi
  done
  sed -n 's/^usage_usec //p' "/sys/fs/cgroup$group/cpu.stat"
}
before=$(cpu_us)
sleep "$idle_seconds"
after=$(cpu_us)
status=/proc/$(pid server)/status
grep -E '^(VmRSS|RssAnon|RssFile|RssShmem|Threads)' "$status"
rss_kb=$(sed -n 's/^VmRSS:[^0-9]*\([0-9]*\).*/\1/p' "$status")
within 'resident memory' "$((rss_kb * 1024 / 1000000))" "$max_idle_mb" MB
within CPU "$(awk -v us=$((after - before)) -v s="$idle_seconds" 'BEGIN { printf "%.3f", us / s / 1e4 }')" \
  "$max_idle_cpu" '%'

echo "image: more than its memory, from 64 threads"
"$parityctl" bench --server "unix:$work/server/parityd.sock" --copy --threads 64 --shard-bytes 4M --data 8 \
  --duration 10 --json >"$work/bench.log" 2>&1 || true
grep -o '"errors": *\[[^]]*\]' "$work/bench.log" || true
state=$(state server Running)-$(state server OOMKilled)
[ "$state" = true-false ] || fail "running-killed for memory: $state"
podman exec server /usr/bin/parityd --probe || fail "it does not serve any more"
"$parityctl" info --server "unix:$work/server/parityd.sock" >"$work/info.log" 2>&1 || fail "it has no answer"

echo "image: stopped while a client calls: nothing fails, as there is another"
start other ""
"$parityctl" bench --copy --server "unix:$work/server/parityd.sock" --server "unix:$work/other/parityd.sock" \
  --duration 6 --threads 4 --check >"$work/bench.log" 2>&1 &
bench=$!
sleep 2 # the client is under way
kill -0 "$bench" || fail "the client has ended"
stop server
wait "$bench" || fail "calls failed while a server was stopped"
stop other
echo "image: all passed"
