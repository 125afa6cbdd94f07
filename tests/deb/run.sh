#!/bin/sh
# Builds the Debian package, looks at what is in it, and installs, uses, removes and purges it on a
# machine with nothing but Debian's minimum; checks the systemd unit there as far as that goes without systemd.
#
#   tests/deb/run.sh
#
# Exits 0 only if all passed, or if it may not be run here, which it says. A command of its own, not a test
# of CTest: it wants root and the network (Debian's packages). Takes some two minutes without the build.
set -eu
cd "$(dirname "$0")/../.."
skip() {
  echo "deb: SKIPPED: $*" >&2
  exit 0
}
[ "$(id -u)" -eq 0 ] || skip "wants root, to install packages"
deploy/install-deps.sh deb || echo "deb: not all packages could be installed" >&2
command -v mmdebstrap >/dev/null || skip "no mmdebstrap; deploy/install-deps.sh deb installs it"

work=$(mktemp -d)
chmod 755 "$work"
root=$work/root
server=
finish() {
  [ -z "$server" ] || kill "$server" 2>/dev/null || true
  if mountpoint -q "$root/proc"; then umount "$root/proc"; fi
  rm -rf --one-file-system "$work"
}
trap finish EXIT
trap 'exit 1' HUP INT TERM
fail() {
  echo "deb: FAILED: $*" >&2
  [ ! -e "$work/log" ] || tail -n 30 "$work/log" >&2
  exit 1
}

cmake --preset package -DPARITY_WERROR=ON >/dev/null
cmake --build --preset package --target parityd parityctl described
rm -f build/package/parityd_*.deb
(cd build/package && cpack -G DEB) >"$work/log" 2>&1 || fail "no package"
deb=$(echo build/package/parityd_*.deb)

echo "deb: what is in $deb"
dpkg-deb --info "$deb" >"$work/info"
dpkg-deb --contents "$deb" >"$work/contents"
cat "$work/info"
for file in usr/bin/parityd usr/bin/parityctl etc/parityd/parityd.conf usr/lib/systemd/system/parityd.service \
  usr/lib/sysusers.d/parityd.conf usr/share/man/man8/parityd.8 usr/share/man/man1/parityctl.1 \
  usr/share/bash-completion/completions/parityctl usr/share/doc/parityd/copyright \
  usr/share/doc/parityd/changelog.gz; do
  grep -q " ./$file\(.gz\)\?\$" "$work/contents" || fail "no $file in the package"
done
if grep -v ' root/root ' "$work/contents"; then fail "files that are not root's"; fi
if grep '^.\(.....w\|........w\)' "$work/contents"; then fail "files that others may write"; fi
if grep -E 'include|\.a$|\.cmake$|\.proto$' "$work/contents"; then fail "files for developers"; fi
grep -q '^ Depends: .*libgrpc++1\.51' "$work/info" || fail "no dependency on gRPC"
if grep -q -- '-dev' "$work/info"; then fail "a dependency on headers"; fi
[ "$(dpkg-deb --info "$deb" conffiles)" = /etc/parityd/parityd.conf ] || fail "conffiles are wrong"

echo "deb: the unit"
dpkg-deb --extract "$deb" "$work/files"
if command -v systemd-analyze >/dev/null; then
  # It wants the program to exist, but looks for it on this machine.
  sed "s|/usr/bin/parityd|$PWD/build/package/bin/parityd|" \
    "$work/files/usr/lib/systemd/system/parityd.service" >"$work/parityd.service"
  systemd-analyze verify --man=no "$work/parityd.service" >"$work/log" 2>&1 || fail "the unit is wrong"
  [ ! -s "$work/log" ] || fail "the unit is not quite right"
  systemd-analyze security --offline=true --threshold=25 --no-pager "$work/parityd.service" >"$work/log" 2>&1 ||
    fail "the unit may do more than it needs"
  tail -n 1 "$work/log"
else
  echo "deb: SKIPPED: no systemd-analyze to check the unit" >&2
fi

echo "deb: installed on a bare machine"
mmdebstrap --quiet --variant=minbase --mode=root --skip=cleanup/apt/lists bookworm "$root"
mount -t proc proc "$root/proc"
# in_root COMMAND...: on that machine
in_root() { LC_ALL=C DEBIAN_FRONTEND=noninteractive chroot "$root" "$@"; }
# files: what is there, but for what dpkg and apt say of themselves
files() {
  (cd "$root" && find . -xdev \( -path ./proc -o -path ./tmp -o -path ./var/log -o -path ./var/cache \
    -o -path ./var/lib/apt -o -path ./var/lib/dpkg \) -prune -o -print) | sort
}
cp "$deb" "$root/tmp/parityd.deb"
cp /etc/resolv.conf "$root/etc/resolv.conf"
in_root dpkg --unpack /tmp/parityd.deb >"$work/log" 2>&1 || true # for its dependencies; then it goes again
# shellcheck disable=SC2016 # dpkg-query's own
depends=$(in_root dpkg-query --show --showformat='${Depends}' parityd | tr ',' '\n' | sed 's/ *(.*//; s/^ *//')
in_root dpkg --purge parityd >"$work/log" 2>&1 || fail "not purged where it was not configured"
# shellcheck disable=SC2086 # a list of words
in_root apt-get install -y -qq --no-install-recommends $depends systemd >"$work/log" 2>&1 ||
  fail "its dependencies cannot be installed"
files >"$work/before"
in_root apt-get install -y -qq --no-install-recommends /tmp/parityd.deb >"$work/log" 2>&1 || fail "not installed"
grep -q '^parityd:' "$root/etc/passwd" || fail "no user parityd"
in_root dpkg --verify parityd >"$work/log" 2>&1 || fail "files are not as packed"
[ ! -e "$root/etc/systemd/system/multi-user.target.wants/parityd.service" ] || fail "it is enabled"

echo "deb: serves as its user, and parityctl encodes and verifies"
install -d -o "$(in_root id -u parityd)" -g "$(in_root id -g parityd)" "$root/run/parityd"
# Not in_root: that would be a shell between, which gets the signal instead.
XDG_RUNTIME_DIR=/run chroot "$root" setpriv --reuid parityd --regid parityd --clear-groups \
  parityd --config /etc/parityd/parityd.conf --listen unix:/run/parityd/parityd.sock >"$work/log" 2>&1 &
server=$!
until grep -q ' ready$' "$work/log"; do
  kill -0 "$server" 2>/dev/null || fail "it does not start"
  sleep 0.05
done
head -c 3000000 /dev/urandom >"$root/tmp/object"
in_root parityctl encode --server unix:/run/parityd/parityd.sock --policy remote-only /tmp/object \
  --out /tmp/shards >"$work/ctl.log" 2>&1 || fail "no shards: $(cat "$work/ctl.log")"
in_root sh -c 'parityctl verify --server unix:/run/parityd/parityd.sock --policy remote-only /tmp/shards/*' \
  >"$work/ctl.log" 2>&1 || fail "not verified: $(cat "$work/ctl.log")"
kill "$server"
wait "$server" || fail "it does not stop with 0"
server=
rm -rf "$root/run/parityd"

echo "deb: removed, then purged"
in_root apt-get remove -y -qq parityd >"$work/log" 2>&1 || fail "not removed"
[ -e "$root/etc/parityd/parityd.conf" ] || fail "removing it has removed its configuration"
[ ! -e "$root/usr/bin/parityd" ] || fail "its program is left"
in_root dpkg --purge parityd >"$work/log" 2>&1 || fail "not purged"
files >"$work/after"
diff "$work/before" "$work/after" || fail "purging it leaves something"
echo "deb: all passed"
