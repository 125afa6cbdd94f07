#!/bin/sh
# on_cpu.sh CPU PROGRAM EMULATOR [OPTION]...
#
# Runs a test program on an emulated CPU. Prints a line, and what the program printed if it failed.
set -eu
cpu=$1
program=$2
shift 2

log=$(mktemp)
trap 'rm -f "$log"' EXIT
start=$(date +%s)
status=0
timeout 600 "$@" -cpu "$cpu" "$program" --gtest_brief=1 >"$log" 2>&1 || status=$?
seconds=$(($(date +%s) - start))
if [ "$status" -ne 0 ]; then
  cat "$log"
  echo "emulated: FAILED: $program on $cpu, status $status after $seconds s"
  exit 1
fi
passed=$(sed -n 's/^\[  PASSED  \] \([0-9]*\) tests*\.$/\1/p' "$log")
skipped=$(sed -n 's/^\[  SKIPPED \] \([0-9]*\) tests*.*/, \1 skipped/p' "$log")
echo "emulated: ok: ${program##*/} on $cpu, $passed passed$skipped, $seconds s"
