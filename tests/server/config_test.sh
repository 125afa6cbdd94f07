#!/bin/sh
# parityd's options from the command line, the environment and a file; --check-config,
# --print-config, --probe and the sample file.
#   config_test.sh PARITYD SAMPLE_FILE
set -eu
parityd=$1
sample=$2
work=$(mktemp -d)
server=
finish() {
  [ -z "$server" ] || kill -9 "$server" 2>/dev/null || true
  rm -rf "$work"
}
trap finish EXIT
fail() {
  echo "FAILED: $*" >&2
  for file in out log; do [ ! -f "$work/$file" ] || cat "$work/$file" >&2; done
  exit 1
}
# gives CODE TEXT COMMAND...: it ends with the exit code and says the text
gives() {
  want=$1 text=$2
  shift 2
  code=0
  env -u XDG_RUNTIME_DIR "$@" >"$work/out" 2>&1 || code=$?
  [ "$code" -eq "$want" ] || fail "$*: exit code $code, want $want"
  [ -z "$text" ] || grep -qF -- "$text" "$work/out" || fail "$*: no '$text'"
}
good='the configuration is good'

# Each source, and what is wrong with it.
gives 0 "$good" "$parityd" --check-config
gives 0 "$good" PARITYD_GRACE=5 "$parityd" --check-config
gives 2 'PARITYD_GRACE: got 5x, want 0 to 3600 seconds' PARITYD_GRACE=5x "$parityd"
gives 2 'PARITYD_GARCE: there is no such option; did you mean PARITYD_GRACE?' PARITYD_GARCE=5 "$parityd"
gives 2 '--grace: got 5x, want 0 to 3600 seconds' "$parityd" --grace 5x
conf=$work/parityd.conf
printf '# A comment\nmax-held = 1X\n' >"$conf"
gives 2 "$conf:2: max-held: got 1X, want 1M to 1048576G" "$parityd" --config "$conf" --check-config
printf 'max-heldd = 1G\n' >"$conf"
gives 2 "$conf:1: max-heldd: there is no such option; did you mean max-held?" PARITYD_CONFIG="$conf" "$parityd"
gives 2 "config: $work/none: cannot be opened: No such file" "$parityd" --config "$work/none"

# What a start would refuse after the parsing is refused here too.
gives 2 'listen: got nonsense, want HOST:PORT' PARITYD_LISTEN=nonsense "$parityd" --check-config
gives 2 'kernels: got mmx, want' PARITYD_KERNELS=mmx "$parityd" --check-config
gives 2 'workers: got 100000, want 1 to' PARITYD_WORKERS=100000 "$parityd" --check-config
gives 2 'tls-key: got none, want a file' PARITYD_TLS_CERTIFICATE=/x "$parityd" --check-config
gives 2 'tls-certificate: ' "$parityd" --tls-certificate "$work/none" --tls-key "$work/none" --check-config
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=x \
  -keyout "$work/key" -out "$work/certificate" 2>/dev/null
tls() { # CODE TEXT OPTION...: with good files
  code=$1 text=$2
  shift 2
  gives "$code" "$text" "$parityd" --tls-certificate "$work/certificate" --tls-key "$work/key" \
    --tls-client-ca "$work/certificate" "$@" --check-config
}
tls 0 "$good" --tls-allow '*.example.org' --reflection auto
tls 2 'tls-allow: got "x*y", want a DNS name' --tls-allow 'x*y'
tls 2 'reflection: got on, want auto or off with --tls-allow' --tls-allow x --reflection on
gives 2 '--reflection: got maybe, want one of auto on off' "$parityd" --reflection maybe
gives 2 '--log-format: got xml, want one of text json' "$parityd" --log-format xml
gives 2 'PARITYD_LOG_LEVEL: got loud, want one of debug info warn error' PARITYD_LOG_LEVEL=loud "$parityd"
gives 2 '"level":"error","message":"listen: got x' PARITYD_LOG_FORMAT=json "$parityd" --listen x
printf 'max-held = 1M\n' >"$conf"
gives 2 'max-held: got 1048576 bytes, want at least --max-message' "$parityd" --config "$conf" --check-config

# The order, and the file that says it.
printf 'grace = 1\nmax-held = 1G\nlisten = 127.0.0.1:1, unix:%s/b.sock\n' "$work" >"$conf"
gives 0 'grace = 3' PARITYD_GRACE=2 "$parityd" --config "$conf" --grace 3 --print-config
gives 0 'grace = 2' PARITYD_GRACE=2 "$parityd" --config "$conf" --print-config
gives 0 "# From $conf:1." "$parityd" --config "$conf" --print-config
gives 0 "listen = 127.0.0.1:1, unix:$work/b.sock" "$parityd" --config "$conf" --print-config
cp "$work/out" "$work/printed.conf"
gives 0 'grace = 1' "$parityd" --config "$work/printed.conf" --print-config
# Read back it is the same, but for where the values come from.
diff "$work/out" "$work/printed.conf" | grep '^[<>]' | grep -v '^[<>] # From ' && fail "printed otherwise"
gives 0 '' "$parityd" --print-config
cmp "$work/out" "$sample" || fail "$sample is not what parityd --print-config prints"

# The probe: nobody there, serving, stopped.
address=unix:$work/p.sock
gives 1 "$address: " "$parityd" --listen "$address" --probe
: >"$work/log"
PARITYD_LISTEN="127.0.0.1:0,$address" "$parityd" 2>"$work/log" &
server=$!
until grep -q ' ready$' "$work/log"; do
  kill -0 "$server" 2>/dev/null || fail "the server did not start"
  sleep 0.02
done
gives 0 '' PARITYD_LISTEN="127.0.0.1:0,$address" "$parityd" --probe
port=$(sed -n 's/.* listening on 127.0.0.1:\([0-9]*\)$/\1/p' "$work/log")
gives 0 '' "$parityd" --listen "0.0.0.0:$port" --probe
gives 2 'want a Unix socket to ask on' "$parityd" --listen "127.0.0.1:$port" --tls-certificate /x --tls-key /y --probe
kill "$server"
wait "$server" || fail "exit code after SIGTERM"
server=
gives 1 "$address: " "$parityd" --listen "$address" --probe
echo "all passed"
