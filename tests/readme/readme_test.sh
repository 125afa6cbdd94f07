#!/bin/sh
# Runs the README's blocks marked `sh` in order, in a fresh directory with a server on the default
# socket, then its Python example and that of proto/shm.
#   readme_test.sh SOURCE_DIR BIN_DIR PYTHON
set -eu
source_dir=$1 bin_dir=$2 python=$3
work=$(mktemp -d)
server=
finish() {
  [ -z "$server" ] || kill "$server" 2>/dev/null || true
  rm -rf "$work"
}
trap finish EXIT
block() { sed -n "/^\`\`\`$1\$/,/^\`\`\`\$/p" "$source_dir/$2" | grep -v '^```'; }

export XDG_RUNTIME_DIR="$work" PATH="$bin_dir:$PATH"
: >"$work/log"
parityd --listen "unix:$work/parityd/parityd.sock" 2>"$work/log" &
server=$!
until grep -q ' ready$' "$work/log"; do
  kill -0 "$server" 2>/dev/null || { cat "$work/log" >&2; exit 1; }
  sleep 0.02
done

# What the README takes for granted: its source tree and a file to encode.
ln -s "$source_dir/proto" "$work/proto"
cd "$work"
head -c 3000000 "$bin_dir/parityd" >backup.tar
block sh README.md >commands
[ -s commands ] || { echo "FAILED: no commands in the README" >&2; exit 1; }
sh -eux commands

for page in README.md proto/shm/README.md; do
  block python "$page" >example.py
  [ -s example.py ] || { echo "FAILED: no Python example in $page" >&2; exit 1; }
  "$python" example.py "unix:$work/parityd/parityd.sock"
done
