#!/bin/sh
# Installs the build into a fresh prefix and builds the README's C++ example against it, in a project
# that knows nothing but find_package(parityd); then runs it against a server.
#   consumer_test.sh SOURCE_DIR BUILD_DIR PARITYD COMPILER SANITIZERS
set -eu
source_dir=$1 build_dir=$2 parityd=$3 compiler=$4 sanitizers=$5
work=$(mktemp -d)
server=
finish() {
  [ -z "$server" ] || kill "$server" 2>/dev/null || true
  rm -rf "$work"
}
trap finish EXIT
block() { sed -n "/^\`\`\`$1\$/,/^\`\`\`\$/p" "$source_dir/$2" | grep -v '^```'; }

cmake --install "$build_dir" --prefix "$work/prefix" >/dev/null
mkdir "$work/consumer"
block cpp README.md >"$work/consumer/main.cc"
block cpp client/README.md >"$work/consumer/fake.cc"
for program in main fake; do
  [ -s "$work/consumer/$program.cc" ] || { echo "FAILED: no C++ example for $program.cc" >&2; exit 1; }
done
block cmake README.md >"$work/consumer/CMakeLists.txt"
cat >>"$work/consumer/CMakeLists.txt" <<'END'
add_executable(fake fake.cc)
target_link_libraries(fake PRIVATE parity::client)
END
flags=
[ -z "$sanitizers" ] || flags="-fsanitize=$sanitizers"
cmake -G Ninja -S "$work/consumer" -B "$work/consumer/build" -DCMAKE_PREFIX_PATH="$work/prefix" \
  -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_CXX_FLAGS="$flags" >/dev/null
cmake --build "$work/consumer/build"

: >"$work/log"
"$parityd" --listen "unix:$work/parityd.sock" 2>"$work/log" &
server=$!
until grep -q ' ready$' "$work/log"; do
  kill -0 "$server" 2>/dev/null || { cat "$work/log" >&2; exit 1; }
  sleep 0.02
done
"$work/consumer/build/example" "unix:$work/parityd.sock" | tee "$work/said"
grep -qx 'OK, 0 computed here' "$work/said" || { echo "FAILED: the server did not compute" >&2; exit 1; }
"$work/consumer/build/fake"
