#!/bin/bash
# Looks at the status page of a loaded parityd in headless Chromium, light, dark and as wide as a phone, and
# leaves pictures of it. Not part of tests/run.sh: the browser is large.
#
#   tests/metrics/page.sh PARITYD PARITYCTL DIRECTORY
set -euo pipefail
source_dir=$(cd "$(dirname "$0")/../.." && pwd)
parityd=$(realpath "$1") parityctl=$(realpath "$2") pictures=$(realpath "$3")
"$source_dir/deploy/install-deps.sh" browser
command -v npm >/dev/null || "$source_dir/deploy/install-deps.sh" node
work=$(mktemp -d)
server='' load=''
trap '[ -z "$load" ] || kill "$load" 2>/dev/null; [ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$work"' EXIT
cd "$work"
npm install --silent --ignore-scripts --no-fund --no-audit playwright-core@1 >/dev/null

"$parityd" --listen 127.0.0.1:0 --listen "unix:$work/p.sock" --metrics 127.0.0.1:0 2>"$work/log" &
server=$!
: >>"$work/log"
until grep -q ' ready$' "$work/log"; do
  kill -0 "$server" 2>/dev/null || { cat "$work/log"; exit 1; }
  sleep 0.02
done
"$parityctl" bench --server "unix:$work/p.sock" --threads 1 --duration 600 --rate 3000 --quiet \
  --mix encode=70,reconstruct=20,verify=5,update=5 --shard-bytes 4K=50,64K=50 &
load=$!
node "$source_dir/tests/metrics/page.mjs" "$(sed -n 's/.* metrics on //p' "$work/log")" "$pictures"
