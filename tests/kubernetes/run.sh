#!/bin/sh
# Renders deploy/kubernetes in every combination and checks the manifests, without an API server.
#
#   tests/kubernetes/run.sh PARITYD     the program, which is asked what it makes of its options
#
# Exits 0 only if all are right, or if what it takes cannot be had, which it says.
set -eu
[ $# -eq 1 ] || {
  echo "usage: tests/kubernetes/run.sh PARITYD" >&2
  exit 2
}
parityd=$(realpath -- "$1")
cd "$(dirname "$0")/../.."
here=$PWD/tests/kubernetes
# Those of another origin will do as well.
if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
  deploy/install-deps.sh kubernetes
fi
# Components came with kubectl 1.21; Debian 12 has 1.20.
if ! kubectl kustomize deploy/kubernetes/overlays/pool >/dev/null 2>&1 &&
  ! kubectl version --client 2>/dev/null | grep -qE 'v1\.(2[1-9]|[3-9][0-9])'; then
  echo "kubernetes: SKIPPED: there is no kubectl of 1.21 or later" >&2
  exit 0
fi
models=$(cd "$here" && node -p 'require("./package.json").dependencies["kubernetes-models"]')
if ! npm view --fetch-retries=0 "kubernetes-models@$models" version >/dev/null; then
  echo "kubernetes: SKIPPED: npm has no kubernetes-models@$models for us" >&2
  exit 0
fi
(cd "$here" && npm ci --ignore-scripts --loglevel=error)

# Beneath the checkout: kustomize takes folders by relative paths.
work=$(mktemp -d "$here/rendered.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# render OVERLAY NAMESPACE [COMPONENT...]: as a user's own kustomization would.
render() {
  overlay=$1
  namespace=$2
  shift 2
  name=$overlay
  for component in "$@"; do name=$name-$component; done
  mkdir -p "$work/$name"
  {
    echo "namespace: $namespace"
    echo "resources: [../../../../deploy/kubernetes/overlays/$overlay]"
    [ $# -eq 0 ] || echo "components:"
    for component in "$@"; do echo "  - ../../../../deploy/kubernetes/components/$component"; done
  } >"$work/$name/kustomization.yaml"
  if ! kubectl kustomize "$work/$name" >"$work/$name.yaml" 2>"$work/warnings" || [ -s "$work/warnings" ]; then
    cat "$work/warnings" >&2
    return 1
  fi
}
for monitoring in "" monitoring; do
  for networkpolicy in "" networkpolicy; do
    # shellcheck disable=SC2086 # nothing where a component is not wanted
    {
      render pool parityd $monitoring $networkpolicy
      render pool parityd mtls $monitoring $networkpolicy
      render node-local parityd-node $monitoring $networkpolicy
    }
  done
done
# An overlay by itself is the same.
for overlay in pool node-local; do
  kubectl kustomize "deploy/kubernetes/overlays/$overlay" | cmp - "$work/$overlay.yaml"
done

# As the secret of a Certificate.
mkdir "$work/tls"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=parityd \
  -addext subjectAltName=DNS:parityd.parityd.svc -keyout "$work/tls/tls.key" -out "$work/tls/tls.crt" 2>/dev/null
cp "$work/tls/tls.crt" "$work/tls/ca.crt"

node "$here/check.mjs" "$parityd" "$work/tls" "$work"/*.yaml
