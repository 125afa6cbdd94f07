"""The life of a stripe, through libparity and nothing but Python's standard library.

    parity_ctypes.py TARGET      unix:PATH or HOST:PORT of a parityd

By the server if it can be reached, else in this process. Exits 0 only if everything holds. The library is
libparity.so.0, or what LIBPARITY names.
"""
import ctypes
import os
import sys
from ctypes import POINTER, byref, c_char, c_char_p, c_int, c_int32, c_int64, c_size_t, c_uint32, c_uint64, c_void_p

REED_SOLOMON = 3
INVALID_ARGUMENT = 3

# Addresses of shards: parity.h's `const uint8_t* const*`.
Pointers = POINTER(c_void_p)
Log = ctypes.CFUNCTYPE(None, c_void_p, c_char_p)


class Error(ctypes.Structure):
    _fields_ = [("field", c_char * 64), ("message", c_char * 1024)]


class Geometry(ctypes.Structure):
    _fields_ = [("code", c_uint32), ("matrix", c_uint32), ("data_shards", c_uint32), ("parity_shards", c_uint32),
                ("generator", c_void_p), ("generator_bytes", c_size_t)]


class CallOptions(ctypes.Structure):
    _fields_ = [("struct_bytes", c_size_t), ("deadline_ms", c_int64), ("cancellation", c_void_p)]


class Mismatch(ctypes.Structure):
    _fields_ = [("offset", c_uint64), ("shard", c_uint32), ("reserved", c_uint32)]


class ParityError(Exception):
    """A call that has failed: `status` as in parity.h, `field` the argument at fault or ""."""

    def __init__(self, status, error):
        self.status, self.field = status, error.field.decode(errors="replace")
        super().__init__(error.message.decode(errors="replace"))


def load(path):
    """The library, its functions declared as in parity.h."""
    library = ctypes.CDLL(path)
    stripe = [c_void_p, POINTER(Geometry), c_size_t]
    shards = [Pointers, POINTER(c_size_t)]
    end = [POINTER(CallOptions), POINTER(Error)]
    indices = POINTER(c_uint32)
    for result, name, arguments in [
            (c_char_p, "version", []),
            (c_void_p, "options_new", []),
            (None, "options_free", [c_void_p]),
            (c_int32, "options_add_target", [c_void_p, c_char_p, POINTER(Error)]),
            (c_int32, "options_set", [c_void_p, c_char_p, c_char_p, POINTER(Error)]),
            (c_int32, "options_set_log", [c_void_p, Log, c_void_p, POINTER(Error)]),
            (c_int32, "client_new", [c_void_p, POINTER(c_void_p), POINTER(Error)]),
            (None, "client_free", [c_void_p]),
            (c_char_p, "kernels_in_use", [c_void_p]),
            (c_int32, "encode", [*stripe, *shards, c_size_t, Pointers, c_size_t, *end]),
            (c_int32, "reconstruct", [*stripe, indices, *shards, c_size_t, indices, Pointers, c_size_t, *end]),
            (c_int32, "verify", [*stripe, *shards, c_size_t, POINTER(Mismatch), c_size_t, POINTER(c_size_t),
                                 POINTER(c_int32), *end]),
            (c_int32, "update", [*stripe, indices, *shards, *shards, c_size_t, Pointers, c_size_t, *end]),
            (c_int32, "buffer_allocate", [c_void_p, c_size_t, POINTER(c_void_p), POINTER(Error)]),
            (c_void_p, "buffer_data", [c_void_p]),
            (c_int, "buffer_is_shared", [c_void_p]),
            (None, "buffer_free", [c_void_p]),
            (c_int32, "stats_take", [c_void_p, POINTER(c_void_p), POINTER(Error)]),
            (c_int32, "stats_get", [c_void_p, c_char_p, POINTER(c_uint64), POINTER(Error)]),
            (None, "stats_free", [c_void_p]),
    ]:
        function = getattr(library, "parity_" + name)
        function.restype, function.argtypes = result, arguments
    return library


def addresses(shards, size):
    """Of bytearrays, memoryviews or ctypes arrays that can be written, all of `size` bytes: nothing is copied."""
    for i, shard in enumerate(shards):
        if memoryview(shard).nbytes != size:
            raise ValueError(f"shard {i}: got {memoryview(shard).nbytes} bytes, want {size}")
        if memoryview(shard).readonly:
            raise ValueError(f"shard {i}: got memory that is read-only, as bytes are; want a bytearray")
    return (c_void_p * len(shards))(*(ctypes.addressof(c_char.from_buffer(shard)) for shard in shards))


class Buffer:
    """Memory for shards, shared with the server if it shares any. close() it when no view of it is left."""

    def __init__(self, client, size):
        self._library = client.library
        self._handle = c_void_p()
        client.call("buffer_allocate", client.handle, size, byref(self._handle))
        data = self._library.parity_buffer_data(self._handle)
        self.view = memoryview((c_char * size).from_address(data)).cast("B")
        self.is_shared = bool(self._library.parity_buffer_is_shared(self._handle))

    def close(self):
        self.view.release()
        self._library.parity_buffer_free(self._handle)


class Client:
    """Threads may share it; ctypes lets others run during a call. Shards are what addresses() takes, all of the
    same length."""

    def __init__(self, library, geometry, targets, log, **options):
        self.library, self.geometry = library, geometry
        self.handle = c_void_p()
        self._log = Log(lambda user, line: log(line.decode(errors="replace")))  # lives as long as the client
        made_with = library.parity_options_new()
        try:
            for target in targets:
                self.call("options_add_target", made_with, target.encode())
            for name, value in options.items():
                self.call("options_set", made_with, name.encode(), value.encode())
            self.call("options_set_log", made_with, self._log, None)
            self.call("client_new", made_with, byref(self.handle))
        finally:
            library.parity_options_free(made_with)

    def close(self):
        self.library.parity_client_free(self.handle)

    def call(self, name, *arguments):
        error = Error()
        status = getattr(self.library, "parity_" + name)(*arguments, byref(error))
        if status != 0:
            raise ParityError(status, error)

    def _stripe_call(self, name, shard_bytes, *arguments, deadline_ms=0):
        options = CallOptions(ctypes.sizeof(CallOptions), deadline_ms, None)
        self.call(name, self.handle, byref(self.geometry), shard_bytes, *arguments, byref(options))

    def encode(self, shards, parity, **options):
        size = len(parity[0])
        self._stripe_call("encode", size, addresses(shards, size), None, len(shards), addresses(parity, size),
                          len(parity), **options)

    def reconstruct(self, present, lost, **options):
        """Computes the lost shards from the present ones; both are dicts from index to memory."""
        wanted = (c_uint32 * len(lost))(*lost)
        left = (c_uint32 * len(present))(*present)
        out = list(lost.values())
        size = len(out[0])
        self._stripe_call("reconstruct", size, left, addresses(list(present.values()), size), None, len(present),
                          wanted, addresses(out, size), len(lost), **options)

    def verify(self, shards, **options):
        """A list of (shard, offset) that differ, and the suspect, or None."""
        mismatches = (Mismatch * self.geometry.parity_shards)()
        count, suspect = c_size_t(), c_int32()
        size = len(shards[0])
        self._stripe_call("verify", size, addresses(shards, size), None, len(shards), mismatches, len(mismatches),
                          byref(count), byref(suspect), **options)
        found = [(mismatch.shard, mismatch.offset) for mismatch in mismatches[:count.value]]
        return found, None if suspect.value < 0 else suspect.value

    def update(self, old, new, parity, **options):
        """Brings parity up to date where data shards `old` become `new`, dicts from index to memory."""
        changed = (c_uint32 * len(old))(*old)
        size = len(parity[0])
        self._stripe_call("update", size, changed, addresses(list(old.values()), size), None,
                          addresses([new[index] for index in old], size), None, len(old), addresses(parity, size),
                          len(parity), **options)

    def counter(self, name):
        stats, value = c_void_p(), c_uint64()
        self.call("stats_take", self.handle, byref(stats))
        try:
            self.call("stats_get", stats, name.encode(), byref(value))
        finally:
            self.library.parity_stats_free(stats)
        return value.value


class Failed(Exception):
    """Something does not hold."""


def require(holds, what):
    if not holds:
        raise Failed(what)


DATA, PARITY, SHARD_BYTES = 4, 2, 65536


def one_stripe(client, memory):
    stripe = [memory[i * SHARD_BYTES:(i + 1) * SHARD_BYTES] for i in range(DATA + PARITY)]
    data, parity = stripe[:DATA], stripe[DATA:]
    for shard in data:
        shard[:] = os.urandom(SHARD_BYTES)
    client.encode(data, parity, deadline_ms=5000)
    print(f"encode: {DATA}+{PARITY} shards of {SHARD_BYTES} bytes")

    lost = {1: bytearray(SHARD_BYTES), 4: bytearray(SHARD_BYTES)}
    client.reconstruct({i: shard for i, shard in enumerate(stripe) if i not in lost}, lost)
    require(all(lost[i] == stripe[i] for i in lost), "reconstruct: shards as they were")
    print("reconstruct: shards 1 and 4 are as they were")

    stripe[2][1000] ^= 0x40
    require(client.verify(stripe) == ([(4, 1000), (5, 1000)], 2), "verify: where shard 2 was damaged")
    stripe[2][1000] ^= 0x40
    require(client.verify(stripe) == ([], None), "verify: the stripe is consistent")
    print("verify: a damaged shard 2 is found; put right, the stripe is consistent")

    new = bytearray(os.urandom(SHARD_BYTES))
    client.update({0: data[0]}, {0: new}, parity)
    again = [bytearray(SHARD_BYTES) for _ in parity]
    client.encode([new] + data[1:], again)
    require(again == parity, "update: the parity that encoding gives")
    print("update: parity by delta is what encoding gives")

    try:
        client.encode(data[:3] + [bytearray(10)], parity)
        raise Failed("encode: shards of two lengths are refused")
    except ValueError:  # before the library would read beyond the end
        pass

    try:
        client.encode(data[1:], parity)
        raise Failed("encode: 3 shards are refused")
    except ParityError as error:  # it names the argument at fault
        require((error.status, error.field) == (INVALID_ARGUMENT, "shards"), f"encode: shards refused, got {error}")


def main():
    if len(sys.argv) != 2:
        print("usage: parity_ctypes.py TARGET", file=sys.stderr)
        return 2
    library = load(os.environ.get("LIBPARITY", "libparity.so.0"))
    geometry = Geometry(code=REED_SOLOMON, data_shards=DATA, parity_shards=PARITY)
    try:
        client = Client(library, geometry, [sys.argv[1]], log=lambda line: print("log:", line, file=sys.stderr),
                        policy="prefer-remote", deadline="10s")
        buffer = Buffer(client, (DATA + PARITY) * SHARD_BYTES)
        print(f"libparity {library.parity_version().decode()}, "
              f"kernels {library.parity_kernels_in_use(client.handle).decode()}, "
              f"shared memory: {'yes' if buffer.is_shared else 'no'}")
        one_stripe(client, buffer.view)
        print(f"computed by the server: {client.counter('remote_slices')}, here: {client.counter('fallback_slices')}")
    except (Failed, ParityError) as error:
        print(f"parity_ctypes.py: FAILED: {error}", file=sys.stderr)
        return 1
    buffer.close()
    client.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
