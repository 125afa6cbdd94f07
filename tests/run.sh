#!/bin/sh
# Installs what is missing, builds and runs every test; exits 0 only if all passed.
#
#   tests/run.sh [PRESET]     PRESET is release (the default), dev, asan or tsan
set -eu
cd "$(dirname "$0")/.."
preset=${1:-release}
deploy/install-deps.sh test
cmake --preset "$preset"
cmake --build --preset "$preset"
ctest --preset "$preset" --parallel "$(nproc)"
