#!/bin/bash
# What parityd tells a service manager: that it serves once it does, and that it stops, with how long
# that may take; and that a manager that cannot be told does not keep it from serving.
#
#   notify_test.sh PARITYD
set -eu
parityd=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

python3 - "$parityd" "$scratch" <<'END'
import os, signal, socket, subprocess, sys

parityd, scratch = sys.argv[1:]
address = scratch + "/notify"
server_socket = scratch + "/parityd.sock"
manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
manager.bind(address)
manager.settimeout(60)


def start(notify):
    return subprocess.Popen([parityd, "--listen", "unix:" + server_socket, "--grace", "7", "--workers", "1"],
                            env={**os.environ, "NOTIFY_SOCKET": notify},
                            stderr=subprocess.PIPE, text=True)


def told():
    return dict(line.split("=", 1) for line in manager.recv(4096).decode().splitlines())


server = start(address)
message = told()
assert message["READY"] == "1" and message["STATUS"] == "serving", message
with socket.socket(socket.AF_UNIX) as client:
    client.connect(server_socket)  # it serves by then
server.send_signal(signal.SIGTERM)
message = told()
assert message["STOPPING"] == "1" and "READY" not in message, message
limit = int(message["EXTEND_TIMEOUT_USEC"])
assert 7e6 < limit < 20e6, message
assert server.wait(60) == 0, server.returncode
server.stderr.close()

server = start(scratch + "/nobody")
log = []
for line in server.stderr:
    log.append(line)
    if "the service manager cannot be told" in line:
        break
assert any(" ready" in line for line in log), log
assert "the service manager cannot be told" in log[-1], log
server.send_signal(signal.SIGTERM)
server.communicate()
assert server.returncode == 0, server.returncode
END
echo "passed"
