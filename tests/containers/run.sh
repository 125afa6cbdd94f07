#!/bin/sh
# Proves that containers with nothing in common but a directory share memory: runs parityd in one, and
# in others a client that encodes in a region and compares with its own kernels. Each has its own
# files, processes, IPC, /dev/shm and no network, no capability, and files that it cannot write.
#
#   tests/containers/run.sh [DIR]    DIR holds the programs; without it they are built
#
# Users and groups of the socket's file, those that the server allows, a region that the server's
# container has no memory for, and a client that is killed. Exits 0 only if all passed, or if there is no
# podman to be had or it may not be used, which it says. Takes about a minute without the build. A command of
# its own, not a test of CTest: it wants root and packages that nothing else needs. Containers that
# are there are not touched: podman gets a place of its own.
set -eu
cd "$(dirname "$0")/../.."
skip() {
  echo "containers: SKIPPED: $*" >&2
  exit 0
}
[ "$(id -u)" -eq 0 ] || skip "wants root, who can limit memory and have several users"
deploy/install-deps.sh containers || echo "containers: not all packages could be installed" >&2
for program in podman conmon runc; do
  command -v "$program" >/dev/null || skip "no $program; deploy/install-deps.sh containers installs it"
done

programs=${1:-}
if [ -z "$programs" ]; then
  cmake --preset release >/dev/null
  cmake --build --preset release --target parity_ring_client parityd
  programs=build/release/bin
fi

work=$(mktemp -d)
# Without systemd; runc, as crun wants control groups of one version; limits that any shell allows.
cat >"$work/containers.conf" <<END
[containers]
default_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]
[engine]
cgroup_manager = "cgroupfs"
events_logger = "none"
lock_type = "file"
runtime = "runc"
[network]
network_config_dir = "$work/networks"
END
export CONTAINERS_CONF="$work/containers.conf"
podman() {
  command podman --root "$work/storage" --runroot "$work/run" --tmpdir "$work/tmp" \
    --storage-driver vfs "$@"
}
finish() {
  podman rm --all --force --time 0 >/dev/null 2>&1 || true
  rm -rf "$work"
}
trap finish EXIT
trap 'exit 1' HUP INT TERM

fail() {
  echo "containers: FAILED: $*" >&2
  for log in "$work"/*.log; do
    [ ! -s "$log" ] || sed "s|^|$(basename "$log"): |" "$log" >&2
  done
  exit 1
}
contains() { grep -q -- "$2" "$1" || fail "no '$2' in $(basename "$1")"; }

# Two file systems, each with a program and its libraries.
for name in server client; do
  root=$work/$name
  mkdir -p "$root/bin" "$root/sockets"
  case $name in
    server) program=parityd ;;
    client) program=parity_ring_client ;;
  esac
  cp "$programs/$program" "$root/bin/"
  # With the loader, where the program looks for them.
  ldd "$programs/$program" | grep -o '/[^ ]*' | while read -r library; do
    [ -e "$root$library" ] || install -D "$library" "$root$library"
  done
done

# All that is shared. The server's user owns it; its group may pass through.
owner=10001
other=10002
mkdir "$work/sockets"
chown "$owner:$owner" "$work/sockets"
chmod 710 "$work/sockets"
chmod 711 "$work"
target=unix:/sockets/parityd.sock

# contain NAME FILES USER OPTIONS ARGUMENT...: runs a program in a container; the options, which are
# podman's, in one word
contain() {
  name=$1 files=$2 user=$3 options=$4
  shift 4
  # shellcheck disable=SC2086 # a list of words
  podman run --name "$name" --rootfs --read-only --user "$user" --cap-drop all \
    --security-opt no-new-privileges --network none --volume "$work/sockets:/sockets" $options \
    "$work/$files" "$@"
}
# serve OPTION...: a server that is ready, in a container of 256 MiB
serve() {
  : >"$work/server.log" # here, not in the background: no earlier server's lines
  contain server server "$owner:$owner" '--memory 256m' /bin/parityd --listen "$target" "$@" \
    >"$work/server.log" 2>&1 &
  server=$!
  until grep -q ' ready$' "$work/server.log"; do
    kill -0 "$server" 2>/dev/null || fail "the server did not start"
    sleep 0.02
  done
}
# stop: the server must end by itself with exit code 0
stop() {
  podman kill --signal TERM server >/dev/null
  code=0
  wait "$server" || code=$?
  [ "$code" -eq 0 ] || fail "the server's exit code is $code"
  podman rm server >/dev/null
}
# client USER OPTIONS ARGUMENT...: its exit code; its output in client.log
client() {
  user=$1 options=$2
  shift 2
  contain client client "$user" "--rm $options" /bin/parity_ring_client "$@" \
    >"$work/client.log" 2>&1
}
# encodes USER OPTIONS REGION_BYTES ROUNDS: it must, and by shared memory
encodes() {
  before=$(requests)
  client "$1" "$2" encode "$target" "$3" "$4" || fail "$1 $2 could not encode"
  cat "$work/client.log"
  [ "$(requests)" -gt "$before" ] || fail "the server counts no requests from shared memory"
}
# refused TEXT USER OPTIONS REGION_BYTES: there must be no shared memory, for this reason
refused() {
  text=$1
  code=0
  client "$2" "$3" encode "$target" "$4" 1 || code=$?
  [ "$code" -eq 3 ] || fail "$2 $3 with $4 bytes: exit code $code, want 3"
  contains "$work/client.log" "$text"
  cat "$work/client.log"
}
# requests: how many the server has had from shared memory
requests() {
  client "$owner:$owner" "" stats "$target" || fail "no counts"
  sed -n 's/.*ring_requests \([0-9]*\).*/\1/p' "$work/client.log"
}
# survives: the server's container is the one that was started, and the kernel has killed nothing in it
survives() {
  state=$(podman inspect --format '{{.State.Running}} {{.State.OOMKilled}} {{.RestartCount}}' server)
  [ "$state" = 'true false 0' ] || fail "running, killed for memory, restarts: $state"
}
mib=1048576

echo "containers: a user of the socket's own, one of its group, and one who is neither"
serve
encodes "$owner:$owner" "" $((32 * mib)) 20
encodes "$other:$other" "--group-add $owner" $((32 * mib)) 20
refused 'Permission denied' "$other:$other" "" $((16 * mib))

echo "containers: more memory than the server shares by default, which is a fifth of its limit"
refused 'with what belongs to it, want at most 53687091 ' "$owner:$owner" "" $((512 * mib))
survives
encodes "$owner:$owner" "" $((32 * mib)) 1

echo "containers: a client that is killed"
before=$(requests)
: >"$work/hold.log"
contain hold client "$owner:$owner" "" /bin/parity_ring_client hold "$target" $((32 * mib)) \
  >"$work/hold.log" 2>&1 &
hold=$!
until grep -q '^encoding$' "$work/hold.log"; do
  kill -0 "$hold" 2>/dev/null || fail "the client to be killed has ended"
  sleep 0.02
done
[ "$(requests)" -gt "$before" ] || fail "the client to be killed does nothing"
grep -q ' regions 1 ' "$work/client.log" || fail "not one region: $(cat "$work/client.log")"
# What they do not share, while both run.
for space in mnt pid ipc net; do
  here=$(readlink "/proc/$(podman inspect --format '{{.State.Pid}}' server)/ns/$space")
  there=$(readlink "/proc/$(podman inspect --format '{{.State.Pid}}' hold)/ns/$space")
  [ -n "$here" ] || fail "no $space namespace to be seen"
  [ "$here" != "$there" ] || fail "both are in the $space namespace $here"
done
podman kill hold >/dev/null
code=0
wait "$hold" || code=$?
[ "$code" -eq 137 ] || fail "the killed client's exit code is $code"
client "$owner:$owner" "" await-no-regions "$target" ||
  fail "regions of a client that was killed are left"
encodes "$owner:$owner" "" $((32 * mib)) 1
stop

echo "containers: a server that shares more than it has, with one user"
serve --max-shm 1G --allow-uid "$owner"
refused "peer: got uid $other and gid $other, want one that the server allows" \
  "$other:$other" "--group-add $owner" $((16 * mib))
contains "$work/server.log" "shared memory for pid .* refused: peer: got uid $other"
code=0
client "$other:$other" "--group-add $owner" stats "$target" || code=$?
[ "$code" -eq 1 ] || fail "the same user over gRPC: exit code $code, want 1"
contains "$work/server.log" "connection of pid .* refused: peer: got uid $other"
refused 'memory: the server has .* bytes left, want' "$owner:$owner" "" $((512 * mib))
survives
refused 'memory: the server has .* bytes left, want' "$owner:$owner" "" $((240 * mib))
survives
# The memory is the server's: the client's container has room for less than the region.
encodes "$owner:$owner" '--memory 64m' $((128 * mib)) 4
survives
stop
echo "containers: all passed"
