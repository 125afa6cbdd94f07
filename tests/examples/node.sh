#!/bin/sh
# Installs what the Node example needs, then runs its tests.
#
#   tests/examples/node.sh [PARITYD]    without a PARITYD it is built
#
# Exits 0 only if all passed, or if the packages of npm cannot be had, which it says.
set -eu
cd "$(dirname "$0")/../.."
# Those of another origin will do as well.
if command -v node >/dev/null && command -v npm >/dev/null; then
  deploy/install-deps.sh test
else
  deploy/install-deps.sh node
fi
grpc=$(node -p 'require("./examples/node/package.json").dependencies["@grpc/grpc-js"]')
if ! npm view --fetch-retries=0 "@grpc/grpc-js@$grpc" version >/dev/null; then
  echo "node: SKIPPED: npm has no @grpc/grpc-js@$grpc for us" >&2
  exit 0
fi
(cd examples/node && npm ci)

parityd=${1:-}
if [ -z "$parityd" ]; then
  cmake --preset release >/dev/null
  cmake --build --preset release --target parityd
  parityd=build/release/bin/parityd
fi
parityd=$(realpath -- "$parityd")
for scenario in commands trouble lies; do
  tests/examples/examples_test.sh node "$scenario" "$PWD" "$parityd" /usr/bin/python3
done
echo "node: every check held"
