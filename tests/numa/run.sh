#!/bin/bash
# Proves on two NUMA nodes that memory is local: boots a Debian kernel in an emulated machine of 2 nodes x 2
# CPUs and runs numa_test in it, then parityd, of which it checks the plan and where its heaps lie.
#
#   tests/numa/run.sh [DIR]    DIR holds the programs; without it they are built
#
# Exits 0 only if all passed, or if there is no emulator or kernel to be had, which it says. Takes about
# half a minute without the build. A command of its own, not a test of CTest: it wants packages that nothing
# else needs, and a kernel.
set -euo pipefail
cd "$(dirname "$0")/../.."
skip() {
  echo "numa: SKIPPED: $*" >&2
  exit 0
}
[ "$(uname -m)" = x86_64 ] || skip "wants an x86_64 machine, this is $(uname -m)"
deploy/install-deps.sh numa || echo "numa: not all packages could be installed" >&2
for program in qemu-system-x86_64 /bin/busybox cpio; do
  command -v "$program" >/dev/null || skip "no $program; deploy/install-deps.sh numa installs it"
done

# Unpacked, not installed. The version is the one that the machine's package lists have.
kernel=build/numa-kernel
if [ ! -d "$kernel" ]; then
  package=$(apt-cache depends linux-image-cloud-amd64 | sed -n 's/.*Depends: \(linux-image-6.*\)/\1/p')
  [ -n "$package" ] || skip "no linux-image-cloud-amd64 in the package lists; apt-get update fetches them"
  rm -rf "$kernel.part"
  mkdir -p "$kernel.part"
  (cd "$kernel.part" && apt-get -qq download "$package" 2>/dev/null) ||
    skip "the package $package could not be fetched"
  dpkg-deb --fsys-tarfile "$kernel.part/$package"_*.deb |
    tar -x -C "$kernel.part" --wildcards './boot/vmlinuz-*'
  rm "$kernel.part"/*.deb
  mv "$kernel.part" "$kernel"
fi

programs=${1:-}
if [ -z "$programs" ]; then
  cmake --preset release >/dev/null
  cmake --build --preset release --target numa_test parity_heap_nodes parityd parityctl
  programs=build/release/bin
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root
mkdir -p "$root"/{bin,proc,sys,dev,tmp}
cp /bin/busybox "$root/bin/"
cp tests/numa/guest_init.sh "$root/init"
for program in numa_test parity_heap_nodes parityd parityctl; do
  cp "$programs/$program" "$root/bin/"
  # The libraries, with the loader, where the program looks for them.
  ldd "$programs/$program" | grep -o '/[^ ]*' | while read -r library; do
    [ -e "$root$library" ] || install -D "$library" "$root$library"
  done
done
(cd "$root" && find . | cpio --quiet -o -H newc) >"$work/initrd"

timeout 300 qemu-system-x86_64 -accel tcg,thread=multi -machine q35 -cpu max \
  -smp 4,sockets=2,cores=2 -m 1024 \
  -object memory-backend-ram,id=m0,size=512M -object memory-backend-ram,id=m1,size=512M \
  -numa node,nodeid=0,cpus=0-1,memdev=m0 -numa node,nodeid=1,cpus=2-3,memdev=m1 \
  -numa dist,src=0,dst=1,val=21 \
  -kernel "$kernel"/boot/vmlinuz-* -initrd "$work/initrd" -append "console=ttyS0 quiet panic=-1" \
  -nographic -vga none -nic none -no-reboot </dev/null |
  sed -u 's/\x1b\(\[[?0-9;]*[a-zA-Z]\|c\)//g; s/\r//g' | tee "$work/log"
grep -q '^numa: guest: passed$' "$work/log" || {
  echo "numa: FAILED" >&2
  exit 1
}
echo "numa: all passed"
