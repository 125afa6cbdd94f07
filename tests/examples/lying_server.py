"""Passes calls on to a parityd, except for one lie, which a client has to notice.

    lying_server.py LISTEN TARGET LIE      prints 'ready' when it serves
"""
import concurrent.futures
import sys

import crc32c
import grpc
from parity.v1 import parity_pb2_grpc as rpc


def damage(response):
    """Changes a byte of the first shard, not its checksum."""
    shard = bytearray(response.shards[0])
    shard[len(shard) // 2] ^= 1
    response.shards[0] = bytes(shard)


def forge(response):
    damage(response)
    response.checksums[0] = crc32c.crc32c(response.shards[0])


def forge_on_stream(response):
    if response.id == 100:
        forge(response.encode)


# What is done to the request and to the response of which method.
NOTHING = lambda message: None
LIES = {
    "damaged-encode": ("Encode", NOTHING, damage),
    "forged-encode": ("Encode", NOTHING, forge),
    "unsealed-encode": ("Encode", NOTHING, lambda response: response.ClearField("checksums")),
    "forged-reconstruct": ("Reconstruct", NOTHING, forge),
    "deaf-verify": ("Verify", lambda request: request.ClearField("checksums"), NOTHING),
    "blind-verify": ("Verify", NOTHING, lambda response: response.ClearField("mismatches")),
    "wrong-suspect": ("Verify", NOTHING, lambda response: setattr(response, "suspect", 1)),
    "forged-update": ("Update", NOTHING, forge),
    "forged-stream": ("Process", NOTHING, forge_on_stream),
    "busy-once": ("", NOTHING, NOTHING),  # refuses the first stripe, and says when to come back in the trailer alone
}


class LyingServer(rpc.ParityServiceServicer):
    def __init__(self, stub, lie):
        self._stub = stub
        self._busy = lie == "busy-once"
        self._method, self._to_request, self._to_response = LIES[lie]

    def _pass_on(self, method, request, context):
        if self._busy and method == "Encode":
            self._busy = False
            context.set_trailing_metadata([("grpc-retry-pushback-ms", "70")])
            context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, "busy")
        lies = method == self._method
        if lies:
            self._to_request(request)
        try:
            response = getattr(self._stub, method)(request)
        except grpc.RpcError as error:
            context.set_trailing_metadata(error.trailing_metadata())
            context.abort(error.code(), error.details())
        if lies:
            self._to_response(response)
        return response

    def Encode(self, request, context):
        return self._pass_on("Encode", request, context)

    def Reconstruct(self, request, context):
        return self._pass_on("Reconstruct", request, context)

    def Verify(self, request, context):
        return self._pass_on("Verify", request, context)

    def Update(self, request, context):
        return self._pass_on("Update", request, context)

    def GetServerInfo(self, request, context):
        return self._pass_on("GetServerInfo", request, context)

    def Process(self, requests, context):
        for response in self._stub.Process(requests):
            if self._method == "Process":
                self._to_response(response)
            yield response


def main():
    listen, target, lie = sys.argv[1:]
    any_length = [("grpc.max_receive_message_length", -1)]
    stub = rpc.ParityServiceStub(grpc.insecure_channel(target, options=any_length))
    server = grpc.server(concurrent.futures.ThreadPoolExecutor(max_workers=4), options=any_length)
    rpc.add_ParityServiceServicer_to_server(LyingServer(stub, lie), server)
    server.add_insecure_port(listen)
    server.start()
    print("ready", flush=True)
    server.wait_for_termination()


main()
