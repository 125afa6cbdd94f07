#!/bin/sh
# Tests the kernels and the codec on CPUs that this machine is not: 64-bit Arm, and older x86-64. An
# emulated CPU faults at an instruction that it does not have, so a pass says that dispatch chose
# kernels that the CPU can run, and nothing else was compiled for more. There is no emulation of
# AVX-512 and GFNI: their kernels are tested where the machine has them, by tests/run.sh.
#
# Exits 0 only if all passed. The x86-64 programs are those of tests/run.sh.
set -eu
cd "$(dirname "$0")/../.."
if [ "$(uname -m)" != x86_64 ]; then
  echo "emulated: SKIPPED: wants an x86_64 machine, this is $(uname -m)" >&2
  exit 0
fi
deploy/install-deps.sh emulate

# The libraries that the Arm programs are linked with and, as the emulator loads them, those they
# need at run time; unpacked, not installed.
libraries=build/arm64-libraries
if [ ! -d "$libraries" ]; then
  rm -rf "$libraries.part"
  mkdir -p build
  mmdebstrap --quiet --variant=extract --architectures=arm64 \
    --include=libabsl-dev,libisal-dev,libgtest-dev,libgmock-dev,librapidcheck-dev \
    bookworm "$libraries.part"
  mv "$libraries.part" "$libraries"
fi
cmake --preset arm64
cmake --build --preset arm64

# All tests but two that find the same on any CPU: large_run_test, of runs of 4 GiB and more, which
# takes minutes for each table, and access_test, of the kernels with a vector type that is no CPU's.
names=
for program in build/arm64/bin/*_test; do
  name=${program##*/}
  case $name in
    large_run_test | access_test) ;;
    *) names="$names $name" ;;
  esac
done
cmake --preset release
# shellcheck disable=SC2086 # a list of words
cmake --build --preset release --target $names

failed=0
# on_cpu CPU TABLES LEFT_OUT PROGRAMS EMULATOR...: tests on one CPU, on which the kernel tables TABLES
# are to be usable, best first. LEFT_OUT are those whose tests another CPU takes.
on_cpu() {
  cpu=$1
  want=$2
  left_out=$3
  programs=$4
  shift 4
  got=$("$@" -cpu "$cpu" "$programs/gf_matrix_test" --gtest_list_tests 2>/dev/null |
    sed -n 's|^ .*/\([a-z0-9_]*\)  # GetParam.*|\1|p' | awk '!seen[$0]++' | xargs)
  if [ "$got" != "$want" ]; then
    echo "emulated: FAILED: tables that $cpu can use: got '$got', want '$want'"
    failed=1
  fi
  filter=-
  for table in $left_out; do
    filter="$filter*/$table:*/${table}_*:*_$table:"
  done
  for name in $names; do
    echo "$programs/$name"
  done | GTEST_FILTER=$filter \
    xargs -P "$(nproc)" -I PROGRAM tests/emulated/on_cpu.sh "$cpu" PROGRAM "$@" || failed=1
}
on_arm() {
  on_cpu "$@" build/arm64/bin qemu-aarch64-static -L "$libraries"
}
on_x86() {
  on_cpu "$@" build/release/bin qemu-x86_64-static
}

on_arm max "neon_sha3 neon scalar" ""
on_arm cortex-a72 "neon scalar" "scalar"
on_x86 Haswell "avx2 avx ssse3 sse2 scalar" "avx ssse3 sse2 scalar"
on_x86 SandyBridge "avx ssse3 sse2 scalar" "ssse3 sse2 scalar"
on_x86 Nehalem "ssse3 sse2 scalar" "sse2 scalar"
on_x86 qemu64 "sse2 scalar" "scalar"
[ "$failed" -eq 0 ] || exit 1
echo "emulated: all passed"
