#!/bin/sh
# check_isa_symbols.sh NM OBJECT...
#
# Fails unless every ISA file among the objects defines its table and no other external symbol, and
# calls nothing. An inline function that it exported could be the copy that the linker keeps for all
# of the program, and would then crash on a CPU without that ISA.
set -eu

nm=$1
shift
checked=0
failed=0
# What assertions, position-independent code and sanitizers add: calls into their runtimes, and data.
added='__assert_fail\|_GLOBAL_OFFSET_TABLE_\|_Unwind_Resume'
added="$added\|__asan_\|__odr_asan\|__ubsan_\|__tsan_\|\(DW\.ref\.\)*__gxx_personality\|typeinfo\|vtable"

for object in "$@"; do
  case ${object##*/} in
    scalar.cc.*) table=kScalarTable ;;
    sse2.cc.*) table=kSse2Table ;;
    ssse3.cc.*) table=kSsse3Table ;;
    avx.cc.*) table=kAvxTable ;;
    avx2.cc.*) table=kAvx2Table ;;
    avx2gfni.cc.*) table=kAvx2GfniTable ;;
    avx512ymm.cc.*) table=kAvx512YmmTable ;;
    avx512ymmgfni.cc.*) table=kAvx512YmmGfniTable ;;
    avx512.cc.*) table=kAvx512Table ;;
    avx512gfni.cc.*) table=kAvx512GfniTable ;;
    neon.cc.*) table=kNeonTable ;;
    neon_sha3.cc.*) table=kNeonSha3Table ;;
    # Compiled for the baseline.
    cpu_features.cc.* | dispatch.cc.* | gf256.cc.* | tuning.cc.*) continue ;;
    *)
      printf '%s is neither known as an ISA file nor as a file for any CPU\n' "$object"
      failed=1
      continue
      ;;
  esac
  checked=$((checked + 1))
  defined=$("$nm" -C --format=posix --extern-only --defined-only "$object" |
    cut -d ' ' -f 1 | grep -v "^\($added\)" || true)
  if [ "$defined" != "parity::kernels::$table" ]; then
    printf '%s exports:\n%s\n' "$object" "$defined"
    failed=1
  fi
  used=$("$nm" -C --format=posix --undefined-only "$object" |
    cut -d ' ' -f 1 | grep -v "^\($added\)" || true)
  if [ -n "$used" ] && [ "$used" != "parity::kernels::kGfTables" ]; then
    printf '%s uses:\n%s\n' "$object" "$used"
    failed=1
  fi
done

if [ "$checked" -eq 0 ]; then
  echo "no ISA file among the objects"
  failed=1
fi
exit "$failed"
