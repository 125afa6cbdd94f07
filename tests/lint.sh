#!/bin/sh
# Checks formatting, clang-tidy's findings and the shell scripts; exits 0 only if there are none.
set -eu
cd "$(dirname "$0")/.."
deploy/install-deps.sh lint
git ls-files '*.h' '*.cc' | xargs clang-format --dry-run --Werror
git ls-files '*.sh' .ci/run | xargs shellcheck
cmake --preset release >/dev/null
cmake --build --preset release --target parity_proto >/dev/null
git ls-files '*.cc' | xargs -P "$(nproc)" -n 1 clang-tidy -p build/release --quiet
echo "lint: clean"
