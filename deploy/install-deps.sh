#!/bin/sh
# Installs the Debian 12 packages that parityd needs, those that are missing only; as root or with sudo.
#
#   deploy/install-deps.sh [build|test|node|emulate|numa|containers|browser|deb|kubernetes|lint]
#
#   build      what compiles and runs parityd and parityctl (the default)
#   test       also what tests/run.sh needs
#   node       also what tests/examples/node.sh needs, except what npm gets
#   emulate    also what tests/emulated/run.sh needs
#   numa       also what tests/numa/run.sh needs, except the kernel, which it fetches
#   containers also what tests/containers/*.sh need
#   browser    also what tests/metrics/page.sh needs, except node and what npm gets
#   deb        also what tests/deb/run.sh needs
#   kubernetes also what tests/kubernetes/run.sh needs, except what npm gets and kubectl
#   lint       also what tests/lint.sh needs
set -eu

# Why each is there:
#   g++ cmake ninja-build ccache pkg-config git   build; git also names the revision in --version
#   libgrpc++-dev protobuf-compiler-grpc          the service
#   libprotobuf-dev protobuf-compiler             its messages
#   libabsl-dev                                   status, spans, strings, time, synchronisation
#   libhwloc-dev                                  cores, NUMA nodes, cpusets
#   libisal-dev                                   CRC32C of shard files; yardstick of the kernel tests
#   libspdlog-dev                                 the server's log
#   libssl-dev                                    checks TLS files at the start; gRPC needs it too
#   libcli11-dev                                  command lines
#   libsystemd-dev                                tells systemd when it serves and when it stops
#   file                                          the package's dependencies, from its programs
#   nlohmann-json3-dev                            parityd --print-topology=json, its status page
#   prometheus-cpp-dev                            metrics in the text format of Prometheus
#   libcivetweb-dev                               HTTP for them, on threads and for connections of bounded number
build="g++ cmake ninja-build ccache pkg-config git libgrpc++-dev protobuf-compiler-grpc libprotobuf-dev
  protobuf-compiler libabsl-dev libhwloc-dev libisal-dev libspdlog-dev libssl-dev libcli11-dev
  nlohmann-json3-dev prometheus-cpp-dev libcivetweb-dev libsystemd-dev file"
#   libgtest-dev libgmock-dev librapidcheck-dev   unit, fake and property tests
#   openssl                                       certificates for the tests of TLS
#   python3-grpcio python3-protobuf               clients in another language: the README's, examples/python
#   python3-crc32c                                their checksums
#   never installed by this script: golang-go golang-github-klauspost-reedsolomon-dev libjerasure-dev
#   libgf-complete-dev; with them tests/golden/regenerate.sh makes those files again, else it skips them
test="$build libgtest-dev libgmock-dev librapidcheck-dev openssl python3-grpcio python3-protobuf
  python3-crc32c"
#   nodejs npm                                    examples/node
node="$test nodejs npm"
#   qemu-user-static                              runs the kernel tests on CPUs that the machine is not
#   g++-aarch64-linux-gnu mmdebstrap              64-bit Arm: compiler; fetches the libraries
emulate="$test qemu-user-static g++-aarch64-linux-gnu mmdebstrap"
#   qemu-system-x86                               a machine with two NUMA nodes
#   busybox-static cpio                           what it boots into
numa="$test qemu-system-x86 busybox-static cpio"
#   podman conmon runc                            containers
#   golang-github-containers-common               the seccomp profile that they run under
#   buildah mmdebstrap catatonit                  the image, what it begins with, and pods
#   python3-grpcio openssl                        a client with TLS, and its certificates
containers="$build podman conmon runc golang-github-containers-common buildah mmdebstrap catatonit
  python3-grpcio openssl"
#   chromium                                      looks at the status page
browser="$build chromium"
#   mmdebstrap                                    a machine with nothing installed
#   systemd                                       systemd-analyze, which checks the unit
deb="$build mmdebstrap systemd"
#   nodejs npm openssl                            checks the manifests, and certificates for them
#   not kubernetes-client: it is 1.20, which knows no components
kubernetes="$build nodejs npm openssl"
#   g++-aarch64-linux-gnu                         the headers of the Arm kernels, for clang-tidy
lint="$test g++-aarch64-linux-gnu clang-format clang-tidy shellcheck"

case "${1:-build}" in
  build) wanted=$build ;;
  test) wanted=$test ;;
  node) wanted=$node ;;
  emulate) wanted=$emulate ;;
  numa) wanted=$numa ;;
  containers) wanted=$containers ;;
  browser) wanted=$browser ;;
  deb) wanted=$deb ;;
  kubernetes) wanted=$kubernetes ;;
  lint) wanted=$lint ;;
  *)
    echo "usage: deploy/install-deps.sh [build|test|node|emulate|numa|containers|browser|deb|kubernetes|lint], got '$1'" >&2
    exit 2
    ;;
esac

missing=
for package in $wanted; do
  state=$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$state" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

as_root=
if [ "$(id -u)" -ne 0 ]; then
  as_root=sudo
  if ! command -v sudo >/dev/null; then
    echo "install-deps: run as root, or install sudo; missing packages:$missing" >&2
    exit 1
  fi
fi
$as_root apt-get update -qq
# shellcheck disable=SC2086 # a list of words
$as_root env DEBIAN_FRONTEND=noninteractive \
  apt-get install -y -qq --no-install-recommends $missing
