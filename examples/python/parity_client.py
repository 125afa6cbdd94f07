"""A client of parity.v1: checksums, deadlines, limits and retries around the generated stub."""
import collections
import itertools
import queue
import random
import sys
import threading
import time
from typing import NamedTuple

import crc32c
import grpc
from parity.status.v1 import status_pb2
from parity.v1 import parity_pb2 as pb
from parity.v1 import parity_pb2_grpc as rpc

MAX_MESSAGE_BYTES = 64 << 20  # what parityd allows unless told otherwise; gRPC's own receive limit is 4 MiB
MAX_ATTEMPTS = 12
FIRST_PAUSE, LONGEST_PAUSE = 0.02, 1.0  # seconds; 12 attempts take 5 to 7 s

BAD_REQUEST = "type.googleapis.com/google.rpc.BadRequest"
RETRY_INFO = "type.googleapis.com/google.rpc.RetryInfo"
CODES = {code.value[0]: code for code in grpc.StatusCode}


class Shard(NamedTuple):
    """Bytes and the CRC32C that is kept with them from where they were first seen."""
    data: bytes
    checksum: int

    @classmethod
    def of(cls, data):
        return cls(data, crc32c.crc32c(data))


class ParityError(Exception):
    """What the server refused, or a call that did not reach it."""

    def __init__(self, status):
        self.code = CODES.get(status.code, grpc.StatusCode.UNKNOWN)
        self.field = None  # the field of the request that is wrong, such as shards[2]
        self.retry_after = None  # seconds that the server asks to wait
        super().__init__(f"{self.code.name}: {status.message}")
        for detail in status.details:
            if detail.type_url == BAD_REQUEST:
                violations = status_pb2.BadRequest.FromString(detail.value).field_violations
                self.field = violations[0].field if violations else None
            elif detail.type_url == RETRY_INFO:
                delay = status_pb2.RetryInfo.FromString(detail.value).retry_delay
                self.retry_after = delay.seconds + delay.nanos / 1e9

    @classmethod
    def of_call(cls, error):
        trailers = dict(error.trailing_metadata() or ())
        details = trailers.get("grpc-status-details-bin")
        status = (status_pb2.Status.FromString(details) if details else
                  status_pb2.Status(code=error.code().value[0], message=error.details()))
        result = cls(status)
        if result.retry_after is None and "grpc-retry-pushback-ms" in trailers:
            result.retry_after = int(trailers["grpc-retry-pushback-ms"]) / 1e3
        return result

    @property
    def passes(self):
        """Whether to try again can help. The server keeps nothing, so any call may be repeated. A message
        that is too large is RESOURCE_EXHAUSTED too, but names a field."""
        return (self.code is grpc.StatusCode.UNAVAILABLE or
                self.code is grpc.StatusCode.RESOURCE_EXHAUSTED and self.field is None)


def checked(response):
    """The shards of a response, if they have the checksums that came with them."""
    if len(response.checksums) != len(response.shards):
        raise ValueError(f"got {len(response.checksums)} checksums of {len(response.shards)} shards")
    shards = [Shard.of(data) for data in response.shards]
    for i, (shard, wanted) in enumerate(zip(shards, response.checksums)):
        if shard.checksum != wanted:
            raise ValueError(f"shard {i} of the answer: got checksum {shard.checksum:08x}, want {wanted:08x}")
    return shards


class ParityClient:
    """Calls a server at HOST:PORT or unix:PATH. `deadline` is in seconds, for a call with all its attempts.
    Threads may share it."""

    def __init__(self, target, geometry, deadline=10.0):
        self._geometry = geometry
        self._deadline = deadline
        self._channel = grpc.insecure_channel(target, options=[
            ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
            # While a channel waits to connect again, its calls fail: no longer than the pauses of a call.
            ("grpc.initial_reconnect_backoff_ms", 100),
            ("grpc.max_reconnect_backoff_ms", 1000),
        ])
        # In Python connections make progress only while somebody waits for the channel: this does.
        self._channel.subscribe(lambda connectivity: None)
        self._stub = rpc.ParityServiceStub(self._channel)

    def close(self):
        self._channel.close()

    def server_info(self):
        return self._call(self._stub.GetServerInfo, pb.GetServerInfoRequest())

    def encode(self, data):
        return checked(self._call(self._stub.Encode, self.encode_request(data)))

    def reconstruct(self, present):
        """The shards that are not in `present`; both are dicts from index to shard."""
        response = self._call(self._stub.Reconstruct, self.reconstruct_request(present))
        return dict(zip(response.indices, checked(response)))

    def verify(self, shards):
        return self._call(self._stub.Verify, pb.VerifyRequest(**self._shards(shards)))

    def update(self, old, new, parity):
        """The parity shards after the data shards in `old` have become those in `new`, dicts from index."""
        response = self._call(self._stub.Update, pb.UpdateRequest(
            changed=old.keys(), **self._shards([*old.values(), *(new[i] for i in old), *parity])))
        return checked(response)

    def encode_request(self, data):
        return pb.EncodeRequest(**self._shards(data))

    def reconstruct_request(self, present):
        return pb.ReconstructRequest(present=present.keys(), **self._shards(present.values()))

    def process(self, requests, in_flight=16):
        """Yields a response for each ProcessRequest, as they are computed. Their ids must differ. At most
        `in_flight` are unanswered; what is refused, or was under way when the stream broke, is sent again."""
        source = iter(requests)
        unanswered = {}
        attempts = collections.Counter()
        failures = 0  # of the stream, since the last answer
        end = time.monotonic() + self._deadline
        while True:
            outgoing = queue.SimpleQueue()
            for request in unanswered.values():
                outgoing.put(request)

            def send_more(outgoing=outgoing):
                for request in itertools.islice(source, in_flight - len(unanswered)):
                    unanswered[request.id] = request
                    outgoing.put(request)
                if not unanswered:
                    outgoing.put(None)  # the last: closes our side

            send_more()
            stream = self._stub.Process(iter(outgoing.get, None), timeout=max(0.0, end - time.monotonic()))
            try:
                for response in stream:
                    failures = 0
                    if response.HasField("error"):
                        error = ParityError(response.error)
                        attempts[response.id] += 1
                        seconds = self._pause(error, attempts[response.id], end)
                        # The others go on meanwhile.
                        again = threading.Timer(seconds, outgoing.put, [unanswered[response.id]])
                        again.daemon = True
                        again.start()
                        continue
                    del unanswered[response.id]
                    yield response
                    send_more()
                return
            except grpc.RpcError as error:
                failures += 1
                time.sleep(self._pause(ParityError.of_call(error), failures, end))
            finally:
                stream.cancel()
                outgoing.put(None)

    def _shards(self, shards):
        shards = list(shards)
        return {"geometry": self._geometry,
                "shards": [shard.data for shard in shards],
                "checksums": [shard.checksum for shard in shards]}

    def _call(self, method, request):
        end = time.monotonic() + self._deadline
        for attempt in itertools.count(1):
            try:
                return method(request, timeout=max(0.0, end - time.monotonic()))
            except grpc.RpcError as error:
                time.sleep(self._pause(ParityError.of_call(error), attempt, end))

    @staticmethod
    def _pause(error, attempt, end):
        """Seconds until the next attempt: twice as long each time, but never sooner than the server asks, and
        up to half as long again, so that not all clients come back at once. Raises what no attempt helps."""
        seconds = max(min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (attempt - 1)), error.retry_after or 0.0)
        seconds *= random.uniform(1.0, 1.5)
        if not error.passes or attempt >= MAX_ATTEMPTS or time.monotonic() + seconds >= end:
            raise error
        asked = "" if error.retry_after is None else f", asked to wait {error.retry_after * 1e3:.0f} ms"
        print(f"{error}{asked}; attempt {attempt + 1} in {seconds * 1e3:.0f} ms", file=sys.stderr, flush=True)
        return seconds
