#!/bin/bash
# parityctl --json: one object, with the keys that --help describes.
#
#   json_test.sh PARITYCTL [PARITYD]
# shellcheck source=tests/cli/harness.sh
source "$(dirname "$0")/harness.sh"

# json CODE CONDITION ARGUMENT...: parityctl ARGUMENT... --json exits with CODE and prints one object `it`
# for which the Python expression CONDITION is true.
json() {
  local want=$1 condition=$2
  shift 2
  "$parityctl" "$@" --json >"$scratch/stdout" 2>"$scratch/stderr"
  local got=$?
  [ "$got" -eq "$want" ] || fail "parityctl $*: exit code $got, want $want"
  [ "$(wc -l <"$scratch/stdout")" -eq 1 ] || fail "parityctl $*: want one line"
  python3 -c 'import json, sys
it = json.load(sys.stdin)
assert eval("(" + sys.argv[1] + ")"), it' "$condition" <"$scratch/stdout" || fail "parityctl $*: not $condition"
}

keys="{'object_id', 'bytes', 'code', 'matrix', 'data_shards', 'parity_shards'"

of_commands() {
  head -c 1000000 /dev/urandom >object
  json 0 "set(it) == $keys, 'shards', 'removed', 'seconds'} and it['bytes'] == 1000000 and it['code'] == 'rs' and
    it['matrix'] == 'cauchy' and it['data_shards'] == 4 and it['parity_shards'] == 2 and
    it['shards'][5] == './object.005.shard'" encode object --server "$server"
  json 0 "set(it) == {'objects', 'strays'} and it['strays'] == [] and len(it['objects']) == 1 and
    set(it['objects'][0]) == $keys, 'good', 'damages', 'damages_left_out'} and it['objects'][0]['good']" \
    verify . --server "$server"
  json 0 "it['objects'][0]['rebuilt'] == []" repair . --server "$server"
  json 0 "set(it) == $keys, 'path', 'stripes', 'restored_stripes'} and it['path'] == 'out'" \
    decode . --out out --server "$server"
  json 0 "set(it) == $keys, 'bytes_replaced', 'blocks_written', 'shards_written'} and
    it['bytes_replaced'] == 1000000 and it['shards_written'] == [0, 1, 2, 3, 4, 5]" \
    update . --offset 0 --data-file out --server "$server"
  json 0 "it['objects'][0]['stripes'] == 1 and it['objects'][0]['shards'][5] == {'path': './object.005.shard'}" \
    info .
  json 0 "it['chosen'] == it['kernels'][0]['name']" kernels
  [ "$server" = local ] ||
    json 0 "it['limits']['message_bytes'] == 67108864 and '$server' in it['addresses'] and
      set(it) == {'version', 'revision', 'addresses', 'kernels', 'usable_kernels', 'limits', 'shared_memory',
      'connections', 'workers', 'nodes'}" info --server "$server"
}

of_damage() {
  head -c 9000000 /dev/urandom >object
  "$parityctl" encode object --server local >"$scratch/stdout"
  flip_bit object.002.shard 200128
  rm object.005.shard
  json 1 "not it['objects'][0]['good'] and it['objects'][0]['damages'][0]['kind'] == 'missing' and
    it['objects'][0]['damages'][1]['kind'] == 'blocks' and it['objects'][0]['damages'][1]['shard'] == 2 and
    it['objects'][0]['damages'][1]['shard_offset'] == 196608 and it['objects'][0]['damages'][1]['first_block'] == 3" \
    verify . --server "$server"
  json 0 "it['objects'][0]['rebuilt'] == [{'shard': 2, 'path': './object.002.shard'},
    {'shard': 5, 'path': './object.005.shard'}]" repair . --server "$server"
}

of_errors() {
  json 2 "it['error']['code'] == 2 and it['error']['status'] == 'NOT_FOUND' and 'missing' in it['error']['message']" \
    encode missing --server "$server"
  [ "$(wc -l <"$scratch/stderr")" -eq 1 ] || fail "want the error on standard error too"
  json 2 "it['error']['status'] == 'INVALID_ARGUMENT'" frobnicate
  json 2 "it['error']['status'] == 'INVALID_ARGUMENT'" encode
  json 3 "it['error']['code'] == 3 and it['error']['status'] == 'UNAVAILABLE'" info --server "unix:$PWD/nobody"
  # A name that is no UTF-8.
  echo data >$'\xff'
  json 0 "len(it['shards']) == 6" encode $'\xff' --server "$server"
}

start_server
run_cases of_commands of_damage of_errors
[ "$failures" -eq 0 ]
