#!/bin/sh
# An example, against nothing but what `cmake --install` leaves of the library, and a real server.
#   example_test.sh EXAMPLE SOURCE_DIR BUILD_DIR PARITYD C_COMPILER PYTHON SANITIZERS
# EXAMPLE:
#   c       the commands of examples/c/README.md
#   ctypes  the commands of client/capi/README.md
#   cmake   the C example in a project of C alone that finds parity::c; takes the whole package
# exit code 77: Python cannot load a library that was built with sanitizers
set -eu
example=$1 source_dir=$2 build_dir=$3 parityd=$4 compiler=$5 python=$6 sanitizers=$7
if [ "$example" = ctypes ] && [ -n "$sanitizers" ]; then
  echo "SKIPPED: Python cannot load a library that was built with sanitizers"
  exit 77
fi

work=$(mktemp -d)
server=
finish() {
  [ -z "$server" ] || kill -9 "$server" 2>/dev/null || true
  rm -rf "$work"
}
trap finish EXIT
trap 'exit 1' HUP INT TERM

fail() {
  echo "FAILED: $*" >&2
  for file in log out err; do
    [ ! -s "$work/$file" ] || tail -n 20 "$work/$file" | sed "s/^/$file: /" >&2
  done
  exit 1
}

# block README LANGUAGE
block() { sed -n "/^\`\`\`$2\$/,/^\`\`\`\$/p" "$source_dir/$1" | grep -v '^```'; }

cd "$work"
# What the commands call cc and python3.
mkdir bin
# shellcheck disable=SC2016 # for the script
printf '#!/bin/sh\nexec "%s" %s "$@"\n' "$compiler" "${sanitizers:+-fsanitize=$sanitizers}" >bin/cc
ln -s "$python" bin/python3
chmod +x bin/cc
PATH="$work/bin:$PATH"
# What the READMEs take for granted: the source tree, an installed library, a server.
ln -s "$source_dir/examples" "$work"
if [ "$example" = cmake ]; then
  cmake --install "$build_dir" --prefix "$work/prefix" >/dev/null
else
  cmake --install "$build_dir" --prefix "$work/prefix" --component c >/dev/null
fi
pc=$(find "$work/prefix" -name parity.pc)
[ -n "$pc" ] || fail "parity.pc is not installed"
export PKG_CONFIG_PATH="${pc%/*}" XDG_RUNTIME_DIR="$work" PYTHONDONTWRITEBYTECODE=1
LD_LIBRARY_PATH=$(pkg-config --variable=libdir parity)
export LD_LIBRARY_PATH
[ "$(pkg-config --modversion parity)" = "$("$parityd" --version | sed 's/^parityd \([0-9.]*\).*/\1/')" ] ||
  fail "the version of parity.pc"

case "$example" in
  c)
    block examples/c/README.md sh >run.sh
    [ -s run.sh ] || fail "no commands in examples/c/README.md"
    ;;
  ctypes)
    block client/capi/README.md "sh ctypes" >run.sh
    [ -s run.sh ] || fail "no commands in client/capi/README.md"
    ;;
  cmake)
    mkdir project
    block client/capi/README.md cmake >project/CMakeLists.txt
    [ -s project/CMakeLists.txt ] || fail "no CMake example in client/capi/README.md"
    cp examples/c/parity_example.c project
    cmake -G Ninja -S project -B project/build -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_C_COMPILER="$compiler" \
      ${sanitizers:+-DCMAKE_C_FLAGS="-fsanitize=$sanitizers"} >/dev/null
    cmake --build project/build
    # shellcheck disable=SC2016 # for the other shell
    echo 'project/build/parity_example "unix:$XDG_RUNTIME_DIR/parityd/parityd.sock"' >run.sh
    ;;
  *) fail "example: got $example, want c, ctypes or cmake" ;;
esac

run() {
  sh -eux run.sh >out 2>err || fail "$1"
  cat out
  [ "$(grep -c . out)" -eq 6 ] || fail "$1: not the lines of the whole program"
}

: >log
"$parityd" --listen "unix:$work/parityd/parityd.sock" 2>log &
server=$!
until grep -q ' ready$' log; do
  kill -0 "$server" 2>/dev/null || fail "parityd has ended"
  sleep 0.02
done
run "with a server"
grep -q '^libparity .* shared memory: yes$' out || fail "no shared memory with a server"
grep -q '^computed by the server: [1-9][0-9]*, here: 0$' out || fail "not computed by the server"
! grep -q '^log: ' err || fail "complaints with a server"

kill -9 "$server"
wait "$server" 2>/dev/null || true
run "without a server"
grep -q '^libparity .* shared memory: no$' out || fail "shared memory without a server"
grep -q '^computed by the server: 0, here: [1-9][0-9]*$' out || fail "not computed here"
grep -q '^log: parity is computed in this process' err || fail "nobody is told"
