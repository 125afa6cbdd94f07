"""Takes all that a parityd may hold, with answers that it does not read, until it is killed.

    hoarder.py TARGET      prints 'holding' when others are refused
"""
import queue
import sys
import time

import grpc
from parity.v1 import parity_pb2 as pb
from parity.v1 import parity_pb2_grpc as rpc

ANSWER_BYTES = 1 << 20
# A small request for an answer of this size.
REQUEST = pb.EncodeRequest(geometry=pb.Geometry(code=pb.CODE_XOR, data_shards=1, parity_shards=1),
                           shard_bytes=ANSWER_BYTES, shards=[b"x"])


def connect(target):
    own = [("grpc.use_local_subchannel_pool", 1)]  # a connection of its own
    return rpc.ParityServiceStub(grpc.insecure_channel(target, options=own))


def refused(stub):
    try:
        stub.Encode(REQUEST, wait_for_ready=True, timeout=10)
        return False
    except grpc.RpcError as error:
        if error.code() is not grpc.StatusCode.RESOURCE_EXHAUSTED:
            raise
        return True


def main():
    probe = connect(sys.argv[1])
    streams = []
    in_a_row = 0  # what the windows of HTTP/2 let through is room again for a while
    while in_a_row < 10:
        if refused(probe):
            in_a_row += 1
            time.sleep(0.005)
            continue
        in_a_row = 0
        requests = queue.SimpleQueue()
        for i in range(30):
            requests.put(pb.ProcessRequest(id=i, encode=REQUEST))
        streams.append(connect(sys.argv[1]).Process(iter(requests.get, None)))
    print("holding", flush=True)
    while True:
        time.sleep(60)


main()
