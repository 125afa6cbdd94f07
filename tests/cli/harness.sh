# What the tests of the command line share. To be sourced; the arguments are PARITYCTL [PARITYD].
#
# Without PARITYD, parity is computed in parityctl itself; with it, by a server that start_server starts.
# shellcheck shell=bash
set -u

parityctl=$(realpath "$1")
parityd=${2:+$(realpath "$2")}
scratch=$(mktemp -d)
server=local
server_pid=
failures=0

finish() {
  if [ -n "$server_pid" ]; then
    kill "$server_pid"
    wait "$server_pid"
  fi
  rm -rf "$scratch"
}
trap finish EXIT

fail() {
  echo "FAILED: $case_name: $*"
  echo "  standard output: $(cat "$scratch/stdout")"
  echo "  standard error: $(cat "$scratch/stderr")"
  failures=$((failures + 1))
}

# run CODE ARGUMENT...: runs parityctl, which must exit with CODE; if CODE says that it failed, it must say
# why in one line of standard error, else standard error must be empty.
run() {
  local want=$1
  shift
  "$parityctl" "$@" >"$scratch/stdout" 2>"$scratch/stderr"
  local got=$?
  [ "$got" -eq "$want" ] || fail "parityctl $*: exit code $got, want $want"
  if [ "$want" -gt 1 ]; then
    [ "$(wc -l <"$scratch/stderr")" -eq 1 ] || fail "parityctl $*: want one line of error"
    grep -q '^parityctl: ' "$scratch/stderr" || fail "parityctl $*: want 'parityctl: ...'"
  elif [ "$want" -eq 0 ]; then
    [ ! -s "$scratch/stderr" ] || fail "parityctl $*: want no error"
  fi
}

prints() { grep -qF -e "$1" "$scratch/stdout" || fail "want '$1' printed"; }
says() { grep -qF -e "$1" "$scratch/stderr" || fail "want the error '$1'"; }

# flip_bit FILE OFFSET
flip_bit() {
  local byte
  byte=$(od -An -tu1 -j "$2" -N 1 "$1")
  # shellcheck disable=SC2059  # the format is the byte
  printf "\\x$(printf %x $((byte ^ 4)))" |
    dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

# The checksum of every file, hidden ones too.
contents() { find . -type f -exec sha256sum {} + | sort; }

# Runs a case in a directory of its own.
run_case() {
  case_name=$1
  local failures_before=$failures
  mkdir "$scratch/$case_name"
  cd "$scratch/$case_name" || exit 1
  "$case_name"
  cd "$scratch" || exit 1
  [ "$failures" -ne "$failures_before" ] || echo "ok: $case_name"
}

# Starts the server, if there is one to start.
start_server() {
  [ -n "$parityd" ] || return 0
  server=unix:$scratch/server.sock
  touch "$scratch/parityd.log"
  "$parityd" --listen "$server" >"$scratch/parityd.log" 2>&1 &
  server_pid=$!
  until grep -q ready "$scratch/parityd.log"; do
    if ! kill -0 "$server_pid" 2>/dev/null; then
      cat "$scratch/parityd.log"
      server_pid=
      exit 1
    fi
  done
}

# run_cases CASE...
run_cases() {
  local each
  touch "$scratch/stdout" "$scratch/stderr"
  for each in "$@"; do run_case "$each"; done
}
