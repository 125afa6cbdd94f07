#!/bin/sh
# What libparity.so exports: the functions of parity.h, each with the version, and nothing else.
#   check_symbols.sh NM LIBRARY HEADER
set -eu
nm=$1 library=$2 header=$3
exported=$("$nm" -D --defined-only "$library" | awk '$2 != "A" { print $3 }' | sort)
declared=$(tr '\n' ' ' <"$header" | grep -oE 'PARITY_API [^(;]*\bparity_[a-z_]+\(' |
  sed -E 's/.*\b(parity_[a-z_]+)\($/\1@@PARITY_0.1/' | sort)
[ "$(echo "$declared" | wc -l)" -ge 20 ] || { echo "FAILED: cannot read $header" >&2; exit 1; }
if [ "$exported" != "$declared" ]; then
  only() { printf '%s\n%s\n%s\n' "$1" "$2" "$2" | sort | uniq -u | head -n 20; }
  echo "FAILED: exported, but not declared:" "$(only "$exported" "$declared")" >&2
  echo "FAILED: declared, but not exported:" "$(only "$declared" "$exported")" >&2
  exit 1
fi
"$nm" -D "$library" | grep -q ' A PARITY_0\.1$' || { echo "FAILED: no version PARITY_0.1" >&2; exit 1; }
