# shellcheck shell=sh
# Read by image.sh and play.sh, which want root: podman without systemd, with a place of its own in
# build/containers, where images stay for the next time; `work`, a directory that goes with the script;
# skip, fail, contains, build_image. `campaign`, set before, is its name.

: "${campaign:?}"
skip() {
  echo "$campaign: SKIPPED: $*" >&2
  exit 0
}
[ "$(id -u)" -eq 0 ] || skip "wants root, who can limit memory and have several users"
deploy/install-deps.sh containers || echo "$campaign: not all packages could be installed" >&2
for program in podman buildah conmon runc mmdebstrap python3; do
  command -v "$program" >/dev/null || skip "no $program; deploy/install-deps.sh containers installs it"
done

place=$PWD/build/containers
mkdir -p "$place"
exec 9>"$place/lock"
flock 9 # one campaign at a time
work=$(mktemp -d)
chmod 711 "$work"
# Without systemd; runc, as crun wants control groups of one version; limits that any shell allows.
cat >"$work/containers.conf" <<END
[containers]
default_ulimits = ["nofile=4096:4096", "nproc=1024:1024"]
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
  command podman 9>&- --root "$place/storage" --runroot "$place/run" --tmpdir "$place/tmp" \
    --storage-driver vfs "$@"
}
buildah() {
  command buildah 9>&- --root "$place/storage" --runroot "$place/run" --storage-driver vfs "$@"
}
finish() {
  podman pod rm --all --force --time 0 >/dev/null 2>&1 || true
  podman rm --all --force --time 0 >/dev/null 2>&1 || true
  rm -rf "$work"
}
trap finish EXIT
trap 'exit 1' HUP INT TERM

fail() {
  echo "$campaign: FAILED: $*" >&2
  for log in "$work"/*.log; do
    [ ! -s "$log" ] || tail -n 30 "$log" | sed "s|^|$(basename "$log"): |" >&2
  done
  exit 1
}
contains() { grep -q -- "$2" "$1" || fail "no '$2' in $(basename "$1")"; }

base=docker.io/library/debian:bookworm-slim
image=localhost/parityd:test
revision=$(git describe --always --abbrev=8 --dirty=+ --exclude='*')

# build_image: the image, on a base that is made of Debian's packages where it cannot be had otherwise,
# without the documentation that it leaves out; compiled with the host's ccache
build_image() {
  if ! podman image exists "$base"; then
    echo "$campaign: making $base"
    for left_out in man doc locale info groff lintian; do
      set -- "$@" "--dpkgopt=path-exclude=/usr/share/$left_out/*"
    done
    mmdebstrap --quiet --variant=minbase --mode=root "$@" \
      '--dpkgopt=path-include=/usr/share/doc/*/copyright' bookworm "$work/base.tar"
    podman import --quiet "$work/base.tar" "$base" >/dev/null
    rm "$work/base.tar"
  fi
  cache=${CCACHE_DIR:-$HOME/.cache/ccache}
  mkdir -p "$cache"
  buildah bud --isolation chroot --format docker --layers --quiet --pull-never \
    --volume "$cache:/root/.cache/ccache" --build-arg "REVISION=$revision" \
    --build-arg "SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)" \
    --file deploy/container/Containerfile --tag "$image" . >"$work/build.log" 2>&1 ||
    fail "the image could not be built"
}
