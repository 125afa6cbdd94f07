#!/bin/sh
# Makes the golden files again with the tools that are installed, and compares.
#
#   tests/golden/regenerate.sh [--write] [isal] [klauspost] [jerasure]     default: all three
#
# Exits 0 if every tool that is installed gives the cases of its file, 1 if one does not, 77 if none of
# the tools named is installed. With --write it writes the files instead. Comments in the files, which
# name the tool's version, are not compared.
set -eu
cd "$(dirname "$0")"
usage='usage: tests/golden/regenerate.sh [--write] [isal] [klauspost] [jerasure]'
go_packages=/usr/share/gocode
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The Debian packages that a tool needs and that are not there.
missing() {
  case "$1" in
    isal) pkg-config --exists libisal || echo libisal-dev ;;
    klauspost)
      command -v go >/dev/null || echo golang-go
      [ -d "$go_packages/src/github.com/klauspost/reedsolomon" ] ||
        echo golang-github-klauspost-reedsolomon-dev
      ;;
    jerasure)
      [ -e /usr/include/jerasure.h ] || echo libjerasure-dev
      [ -e /usr/include/gf_complete.h ] || echo libgf-complete-dev
      ;;
  esac
}

origin() {
  case "$1" in
    isal) set -- ISA-L libisal-dev ;;
    klauspost) set -- github.com/klauspost/reedsolomon golang-github-klauspost-reedsolomon-dev ;;
    jerasure) set -- 'Jerasure over GF-Complete, w = 8' libjerasure-dev libgf-complete-dev ;;
  esac
  echo "# by: $1"
  shift
  dpkg-query --show --showformat='# from: Debian package ${Package} ${Version}\n' "$@" ||
    echo '# from: elsewhere than Debian'
}

# The lines of a tool's file, without the comments.
cases() {
  warnings='-Wall -Wextra -Werror'
  # shellcheck disable=SC2046,SC2086 # lists of flags
  case "$1" in
    isal)
      ${CXX:-c++} -std=c++17 $warnings isal.cc -o "$work/isal" $(pkg-config --cflags --libs libisal)
      "$work/isal"
      ;;
    klauspost)
      GOPATH=$go_packages GO111MODULE=off GOCACHE=$work/cache GOFLAGS='' go run klauspost.go
      ;;
    jerasure)
      ${CC:-cc} -std=c11 $warnings -I/usr/include/jerasure jerasure.c -o "$work/jerasure" \
        -lJerasure -lgf_complete
      "$work/jerasure"
      ;;
  esac
}

write=
if [ "${1:-}" = --write ]; then
  write=yes
  shift
fi
[ $# -gt 0 ] || set -- isal klauspost jerasure
for tool; do
  case "$tool" in
    isal | klauspost | jerasure) ;;
    *) echo "$usage, got '$tool'" >&2 && exit 2 ;;
  esac
done

made=0 differing=0
for tool; do
  packages=$(missing "$tool" | tr '\n' ' ')
  if [ -n "$packages" ]; then
    echo "$tool: SKIPPED, not installed: ${packages% }"
    continue
  fi
  cases "$tool" >"$work/cases"
  made=$((made + 1))
  if [ -n "$write" ]; then
    {
      echo '# Parity as another implementation computes it; README.md describes the lines.'
      origin "$tool"
      echo "# made with: tests/golden/regenerate.sh --write $tool"
      cat "$work/cases"
    } >"$tool.txt"
    echo "$tool: written"
  elif grep -v '^#' "$tool.txt" | diff - "$work/cases" >"$work/diff"; then
    echo "$tool: the same"
  else
    echo "$tool: $tool.txt differs from what the tool gives now; the first lines of the diff:" >&2
    head -n 6 "$work/diff" | cut -c 1-120 >&2
    differing=1
  fi
done
[ "$made" -gt 0 ] || exit 77
exit "$differing"
