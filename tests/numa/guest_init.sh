#!/bin/busybox sh
# shellcheck shell=dash
# What the emulated machine of run.sh does: its process 1.
/bin/busybox --install -s /bin
export PATH=/bin
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mount -t tmpfs tmp /tmp
fail() {
  [ ! -f /tmp/out ] || cat /tmp/out
  [ ! -f /tmp/log ] || cat /tmp/log
  echo "numa: guest: FAILED: $*"
  poweroff -f
}

# The kernel moves no page by itself here: the test says why. For parityd it may, as on any machine.
echo 0 >/proc/sys/kernel/numa_balancing
# A process each: a thread can get the memory of one that has ended, wherever that was.
for test in $(numa_test --gtest_list_tests | sed -n 's/^  //p'); do
  numa_test --gtest_brief=1 --gtest_filter="*.$test" >/tmp/out 2>&1 || fail "$test"
  grep -q '^\[  PASSED  \] 1 test' /tmp/out || fail "$test did not run"
  echo "numa: guest: ok: $test"
done
echo 1 >/proc/sys/kernel/numa_balancing

parityd --print-topology >/tmp/out || fail "print-topology"
cat /tmp/out

# Under load of several clients the workers' heaps stay on their nodes, with what gRPC reads in them.
parityd --listen unix:/tmp/parityd.sock --max-shm 0 2>/tmp/log &
server=$!
until grep -q ' ready$' /tmp/log; do
  kill -0 $server || fail "parityd did not start"
  sleep 0.1
done
plan='plan: node 0: cpus 0 1, 0.5 GiB, workers 0 2; node 1: cpus 2 3, 0.5 GiB, workers 1 3'
grep -q "$plan" /tmp/log || fail "want $plan"
grep -q ' warning ' /tmp/log && fail "a warning"
head -c 20000000 /dev/urandom >/tmp/object
clients=
for i in 1 2 3 4; do
  parityctl encode /tmp/object --data 4 --parity 2 --out "/tmp/shards$i" \
    --server unix:/tmp/parityd.sock >"/tmp/out$i" 2>&1 &
  clients="$clients $!"
done
for client in $clients; do
  wait "$client" || { cat /tmp/out?; fail "encode"; }
done
parity_heap_nodes $server 2 >/tmp/out 2>&1 || fail "heaps of parityd"
cat /tmp/out
kill $server
wait $server || fail "parityd's exit code"
echo "numa: guest: passed"
poweroff -f
