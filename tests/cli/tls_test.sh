#!/bin/bash
# parityctl over TLS, with a parityd that wants certificates.  tls_test.sh PARITYCTL PARITYD
# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "$0")/harness.sh"

certificate() { # NAME AUTHORITY
  openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=$1" -keyout "$1.key" -out request
  echo "subjectAltName=IP:127.0.0.1" >extensions
  openssl x509 -req -days 2 -in request -CA "$2.crt" -CAkey "$2.key" -CAcreateserial -extfile extensions \
    -out "$1.crt"
}

make_certificates() {
  local authority
  for authority in ca other; do
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj "/CN=$authority" \
      -keyout "$authority.key" -out "$authority.crt"
  done
  certificate server ca
  certificate client ca
}

start_tls_server() {
  "$parityd" --listen 127.0.0.1:0 --tls-certificate server.crt --tls-key server.key --tls-client-ca ca.crt \
    >parityd.log 2>&1 &
  server_pid=$!
  until grep -q ready parityd.log; do
    kill -0 "$server_pid" || { cat parityd.log; exit 1; }
  done
  server=$(grep -o '127\.0\.0\.1:[0-9]*' parityd.log | head -1)
}

tls=(--tls-ca "$scratch/ca.crt" --tls-certificate "$scratch/client.crt" --tls-key "$scratch/client.key")

works() {
  head -c 3000000 /dev/urandom >object
  run 0 info --server "$server" "${tls[@]}"
  prints parityd
  run 0 encode object --server "$server" --policy remote-only "${tls[@]}"
  run 0 verify object.*.shard --server "$server" --policy remote-only "${tls[@]}"
  run 0 bench --server "$server" --policy remote-only --duration 0.2 "${tls[@]}"
}

says_what_is_wrong() {
  run 2 info --server "$server" --tls-ca /nonexistent
  says "--tls-ca: got /nonexistent: No such file"
  run 2 info --server "$server" --tls-ca "$scratch/ca.crt" --tls-key "$scratch/client.key"
  says "--tls-certificate: got none"
}

is_part_of_a_trace() {
  # A malformed one is ignored.
  TRACEPARENT=x run 0 info --server "$server" "${tls[@]}"
  TRACEPARENT=00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01 run 0 info --server "$server" "${tls[@]}"
}

cd "$scratch" || exit 1
make_certificates 2>/dev/null
start_tls_server
run_cases works says_what_is_wrong is_part_of_a_trace
[ "$failures" -eq 0 ]
