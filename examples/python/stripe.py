"""The life of a stripe: encoded, damaged, repaired, verified, updated; then many of them on one stream.

    stripe.py TARGET [--requests N] [--deadline SECONDS]

Exits 0 only if everything holds.
"""
import argparse
import os
import sys

import grpc
from parity.v1 import parity_pb2 as pb
from parity_client import ParityClient, ParityError, Shard, checked

DATA, PARITY = 4, 2
LARGE_BYTES = 3 << 20  # two parity shards of this are more than gRPC's default receive limit
SMALL_BYTES = 256 << 10  # a message of 1 MiB


class Failed(Exception):
    """Something does not hold."""


def require(holds, what):
    if not holds:
        raise Failed(what)


def one_stripe(client):
    data = [Shard.of(os.urandom(LARGE_BYTES)) for _ in range(DATA)]
    parity = client.encode(data)
    require(len(parity) == PARITY, "encode: the number of parity shards")
    stripe = data + parity
    print(f"encode: {DATA}+{PARITY} shards of {LARGE_BYTES} bytes, checksums match")

    lost = {1, 4}
    restored = client.reconstruct({i: shard for i, shard in enumerate(stripe) if i not in lost})
    require(restored == {i: stripe[i] for i in lost}, "reconstruct: shards as they were")
    print("reconstruct: shards 1 and 4 are as they were")

    require(not client.verify(stripe).mismatches, "verify: a stripe without mismatches")
    rotten = bytearray(data[2].data)
    rotten[1000] ^= 0x40
    # With the checksum that was kept with it, the shard is refused by name.
    try:
        client.verify(stripe[:2] + [Shard(bytes(rotten), data[2].checksum)] + stripe[3:])
        raise Failed("verify: DATA_LOSS of shards[2], got no error")
    except ParityError as error:
        require(error.code is grpc.StatusCode.DATA_LOSS and error.field == "shards[2]",
                f"verify: DATA_LOSS of shards[2], got {error}")
    # Had it been checksummed when it was rotten already, the parity shards tell.
    report = client.verify(stripe[:2] + [Shard.of(bytes(rotten))] + stripe[3:])
    require([(m.shard, m.offset) for m in report.mismatches] == [(4, 1000), (5, 1000)],
            "verify: both parity shards differ at the byte that changed")
    require(report.HasField("suspect") and report.suspect == 2, "verify: the suspect is shard 2")
    print("verify: the stripe is consistent; a corrupted shard 2 is found by checksum, and by parity")

    new = Shard.of(os.urandom(LARGE_BYTES))
    updated = client.update({0: data[0]}, {0: new}, parity)
    require(updated == client.encode([new] + data[1:]), "update: the parity that encoding gives")
    print("update: parity by delta is what encoding gives")


def many_stripes(client, count):
    data = [Shard.of(os.urandom(SMALL_BYTES)) for _ in range(DATA)]
    parity = client.encode(data)
    left = {0: data[0], 2: data[2], 4: parity[0], 5: parity[1]}
    encode = client.encode_request(data)
    reconstruct = client.reconstruct_request(left)
    print(f"stream: {count} requests, up to 16 in flight", flush=True)

    def requests():
        for i in range(count):
            if i % 2 == 0:
                yield pb.ProcessRequest(id=i, encode=encode)
            else:
                yield pb.ProcessRequest(id=i, reconstruct=reconstruct)

    answered = set()
    for response in client.process(requests(), in_flight=16):
        if response.id % 2 == 0:
            require(checked(response.encode) == parity, f"stream: parity of request {response.id}")
        else:
            require(checked(response.reconstruct) == [data[1], data[3]],
                    f"stream: lost shards of request {response.id}")
        answered.add(response.id)
    require(answered == set(range(count)), "stream: an answer for every request")
    print(f"stream: {count} answers, checksums match")


def main():
    arguments = argparse.ArgumentParser(description="The life of a stripe, on a running parityd.")
    arguments.add_argument("target", help="127.0.0.1:7420 or unix:PATH")
    arguments.add_argument("--requests", type=int, default=200, help="on the stream (default: 200)")
    arguments.add_argument("--deadline", type=float, default=10.0, help="seconds of a call, or of the stream")
    options = arguments.parse_args()

    geometry = pb.Geometry(code=pb.CODE_REED_SOLOMON, data_shards=DATA, parity_shards=PARITY)
    client = ParityClient(options.target, geometry, options.deadline)
    try:
        info = client.server_info()
        print(f"server: {info.version}, kernels {info.kernels}, "
              f"messages of up to {info.limits.max_message_bytes} bytes")
        one_stripe(client)
        many_stripes(client, options.requests)
    except (Failed, ParityError, ValueError) as error:
        print(f"stripe.py: FAILED: {error}", file=sys.stderr)
        return 1
    finally:
        client.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
