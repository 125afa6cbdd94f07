#!/bin/sh
# Writes a program's manual page from its own --help, and those of its commands.
#   man_page.sh PROGRAM SECTION >PAGE
set -eu
program=$1 section=$2
name=$(basename "$program")

# What depends on the machine that this runs on is put in general terms.
help() {
  "$program" "$@" --help | sed -E 's|unix:/[^ ]*/parityd\.sock|unix:/run/parityd/parityd.sock|
    s/(one of those this CPU can run): .*/\1; parityctl kernels lists them/'
}

# to_roff HEADING: the help on standard input, its lists of options as such and its other text as it is.
to_roff() {
  awk -v heading="$1" '
    function text(line) {
      gsub(/\\/, "\\e", line)
      gsub(/-/, "\\-", line)
      gsub(/\x27/, "\\(aq", line)
      sub(/^\./, "\\\\\\&.", line)
      return line
    }
    function mode(next_mode) {
      if (is == "text") print ".fi"
      if (next_mode == "text") print ".nf"
      is = next_mode
    }
    NR == 1 { print heading; print text($0); next }
    /^Usage: / { print ".PP"; print ".B " text(substr($0, 8)); next }
    /^(Positionals|Options|Subcommands):$/ { mode("list"); next }
    /^$/ { if (is == "text") print ".sp"; else mode(""); next }
    is == "list" && /^  [^ ]/ {
      is_short = length($0) > 30 && substr($0, 30, 1) == " "
      item = is_short ? substr($0, 3, 28) : substr($0, 3)
      sub(/ +$/, "", item)
      print ".TP"
      print ".B " text(item)
      if (is_short) print text(substr($0, 31))
      next
    }
    is == "list" { sub(/^ +/, ""); print text($0); next }
    { if (is != "text") { print ".PP"; mode("text") }; print text($0) }
    END { mode("") }'
}

title=$(echo "$name" | tr '[:lower:]' '[:upper:]')
version=$("$program" --version | cut -d ' ' -f 1,2)
summary=$(help | head -n 1 | sed 's/\.$//; s/-/\\-/g')
cat <<END
.TH $title $section "" "$version" ""
.SH NAME
$name \\- $summary
END
help | to_roff '.SH DESCRIPTION'
# Of a command: two spaces, its name and what it does.
commands=$(help | sed -n '/^Subcommands:$/,/^$/s/^  \([a-z][a-z]*\) .*/\1/p')
[ -n "$commands" ] || exit 0
echo '.SH COMMANDS'
for command in $commands; do
  help "$command" | sed '/^Exit codes:$/,$d' | to_roff ".SS $command"
done
