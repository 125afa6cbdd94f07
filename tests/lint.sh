#!/bin/sh
# Checks formatting, shell scripts, the proto and clang-tidy's findings; exits 0 only if there are none.
set -eu
cd "$(dirname "$0")/.."
deploy/install-deps.sh lint
git ls-files '*.h' '*.cc' | xargs clang-format --dry-run --Werror
git ls-files '*.sh' .ci/run | xargs shellcheck
if command -v npm >/dev/null; then
  npx --yes @bufbuild/buf@1.75.0 lint proto
else
  echo "lint: the proto is not checked: buf comes from npm, which is not installed" >&2
fi
cmake --preset release >/dev/null
cmake --build --preset release --target parity_proto >/dev/null
# clang-tidy takes the compiler's flags, of which clang does not know this one.
mkdir -p build/lint
sed 's/ -fno-tree-reassoc//' build/release/compile_commands.json >build/lint/compile_commands.json
git ls-files '*.cc' ':!kernels/isa/neon*' | xargs -P "$(nproc)" -n 1 clang-tidy -p build/lint --quiet
# These are compiled for Arm alone.
clang-tidy --quiet kernels/isa/neon.cc kernels/isa/neon_sha3.cc -- --target=aarch64-linux-gnu \
  -std=c++17 -march=armv8.2-a+sha3 -Ikernels/isa/include
echo "lint: clean"
