#!/bin/bash
# What the programs say of themselves: completion and manual pages, against their --help.
#
#   described_test.sh PARITYCTL PARITYD DIRECTORY
#
# DIRECTORY has the pages and the script that the build has made.
# shellcheck source=tests/cli/harness.sh
source "$(dirname "$0")/harness.sh"
described=$(realpath "$3")

# The long options of a help text on standard input.
options_in() { grep -oE '^  (-[a-z],)?--[a-z-]+' | grep -oE -e '--[a-z-]+' | sort -u; }

# completes "WORD..." WANT...: bash completes the last word of the command line to what is wanted.
completes() {
  local line=$1 got
  shift
  # shellcheck disable=SC2016  # the inner bash expands it
  got=$(bash -c 'source "$1"; read -ra COMP_WORDS <<<"$2"
    case $2 in *" ") COMP_WORDS+=("") ;; esac
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _parityctl; printf "%s\n" "${COMPREPLY[@]}"' \
    - "$described/parityctl" "$line" | sort | tr '\n' ' ')
  [ "$got" = "$(printf '%s\n' "$@" | sort | tr '\n' ' ')" ] || fail "'$line' completes to $got, want $*"
}

completion() {
  local command
  run 0 completion bash
  cmp "$scratch/stdout" "$described/parityctl" || fail "the script is out of date"
  run 2 completion tcsh
  mkdir directory
  touch file
  completes 'parityctl en' encode
  completes 'parityctl ver' verify
  completes 'parityctl encode --code ' rs raid6 xor
  completes 'parityctl encode --matrix c' cauchy
  completes 'parityctl verify --policy prefer-' prefer-remote prefer-local
  completes 'parityctl repair --out ' directory
  completes 'parityctl repair ' directory file
  completes 'parityctl update x --data-file f' file
  completes 'parityctl encode --data ' ''
  for command in encode verify repair update decode info kernels; do
    # shellcheck disable=SC2046  # words
    completes "parityctl $command --" $("$parityctl" "$command" --help | options_in)
  done
}

# page NAME.SECTION PROGRAM: it lints, and has every option of the program.
page() {
  local command option
  if command -v groff >/dev/null; then
    groff -man -Tutf8 -ww -z "$described/$1" >"$scratch/stdout" 2>&1
    [ ! -s "$scratch/stdout" ] || fail "$1: groff complains"
    groff -man -Tascii -P-cbou "$described/$1" >"$scratch/stdout" || fail "$1: groff fails"
  else
    echo "skipped: linting $1: there is no groff"
    sed 's/\\-/-/g' "$described/$1" >"$scratch/stdout"
  fi
  for command in '' $("$2" --help | sed -n '/^Subcommands:$/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
    # shellcheck disable=SC2086  # none is no argument
    for option in $("$2" $command --help | options_in); do prints "$option"; done
    prints "$command"
  done
}

pages() {
  page parityctl.1 "$parityctl"
  prints 'parityctl encode backup.tar --data 10'
  prints '130, 143'
  page parityd.8 "$parityd"
}

run_cases completion pages
[ "$failures" -eq 0 ]
