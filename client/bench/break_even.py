#!/usr/bin/env python3
"""Where computing parity pays: in the client's process, by shared memory, or over a network's socket.

    client/bench/break_even.py PARITYD PARITYCTL [SECONDS]

Starts a parityd and, for each code and size of a shard, loads it three ways in turns, SECONDS (1) each
time, three times, and prints medians: latency of one call at a time, bytes of data shards a second of all
threads, and the client's own CPU seconds for a GB. TCP is loopback: a network adds its latency, and takes
some of the CPU out of the way.
"""
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile

CODES = [("xor", 4, 1), ("raid6", 8, 2), ("rs", 10, 4)]
SHARDS = ["4K", "64K", "1M"]
ROUNDS = 3


def bench(parityctl, server, code, data, parity, shard, threads, seconds):
    """The report of one load, and the CPU seconds of the client."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    # Warm-up would count as CPU time but not as bytes.
    done = subprocess.run(
        [parityctl, "bench", "--server", server, "--code", code, "--data", str(data), "--parity", str(parity),
         "--shard-bytes", shard, "--threads", str(threads), "--duration", str(seconds), "--warmup", "0", "--json"],
        check=True, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    report = json.loads(done.stdout)
    if report["errors"]:
        sys.exit(f"break_even: {server}: {report['errors']}")
    return report, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure(parityctl, server, shape, seconds):
    one, _ = bench(parityctl, server, *shape, 1, seconds)
    all_threads, cpu = bench(parityctl, server, *shape, os.cpu_count(), seconds)
    gigabytes = all_threads["data_gbps"] * all_threads["seconds"]
    return one["latency"]["p50_us"], all_threads["data_gbps"], cpu / gigabytes


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    parityd, parityctl = sys.argv[1:3]
    seconds = float(sys.argv[3]) if len(sys.argv) == 4 else 1
    with tempfile.TemporaryDirectory() as scratch:
        unix = f"unix:{scratch}/parityd.sock"
        server = subprocess.Popen([parityd, "--listen", "127.0.0.1:0", "--listen", unix],
                                  stderr=subprocess.PIPE, text=True)
        try:
            tcp = None
            for line in server.stderr:
                if "listening on 127.0.0.1:" in line:
                    tcp = line.split()[-1]
                if line.rstrip().endswith("ready"):
                    break
            places = [("here", "local"), ("shared memory", unix), ("TCP", tcp)]
            print(f"{'code':10}{'shard':>7}  {'place':14}{'p50 us':>10}{'GB/s':>8}{'client CPU s/GB':>17}")
            for code, data, parity in CODES:
                for shard in SHARDS:
                    shape = (code, data, parity, shard)
                    rounds = [[measure(parityctl, address, shape, seconds) for _, address in places]
                              for _ in range(ROUNDS)]
                    for place, (name, _) in enumerate(places):
                        p50, rate, cpu = (statistics.median(of_round[place][value] for of_round in rounds)
                                          for value in range(3))
                        print(f"{code} {data}+{parity:<5}{shard:>7}  {name:14}{p50:10.1f}{rate:8.2f}{cpu:17.3f}",
                              flush=True)
        finally:
            server.terminate()
            server.communicate()


main()
