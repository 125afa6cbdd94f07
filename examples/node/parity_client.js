// A client of parity.v1: checksums, deadlines, limits and retries around the stub that grpc-js makes of the proto.
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import grpc from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";

import { crc32c } from "./crc32c.js";

const MAX_MESSAGE_BYTES = 64 << 20; // what parityd allows unless told otherwise; gRPC's own receive limit is 4 MiB
const MAX_ATTEMPTS = 12;
const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 1000; // 12 attempts take 5 to 7 s

const definition = loadSync(["parity/v1/parity.proto", "parity/status/v1/status.proto"], {
  includeDirs: [fileURLToPath(new URL("../../proto", import.meta.url))],
  keepCase: true,
  longs: Number,
  enums: String,
  defaults: true, // 0, "" and [] rather than nothing for what is not on the wire
  oneofs: true, // response.response names the field that is set
});
const { ParityService } = grpc.loadPackageDefinition(definition).parity.v1;
const { deserialize: parseStatus } = definition["parity.status.v1.Status"];
const { deserialize: parseBadRequest } = definition["parity.status.v1.BadRequest"];
const { deserialize: parseRetryInfo } = definition["parity.status.v1.RetryInfo"];

// Bytes and the CRC32C that is kept with them from where they were first seen.
export function shardOf(data) {
  return { data, checksum: crc32c(data) };
}

export function sameShards(some, others) {
  return some.length === others.length &&
    some.every((shard, i) => shard.checksum === others[i].checksum && shard.data.equals(others[i].data));
}

// What the server refused, or a call that did not reach it.
export class ParityError extends Error {
  constructor({ code, message, details }) {
    super(`${grpc.status[code]}: ${message}`);
    this.name = "ParityError";
    this.code = code;
    for (const { type_url, value } of details) {
      if (type_url === "type.googleapis.com/google.rpc.BadRequest") {
        // The field of the request that is wrong, such as shards[2].
        this.field = parseBadRequest(value).field_violations[0]?.field;
      } else if (type_url === "type.googleapis.com/google.rpc.RetryInfo") {
        const { seconds, nanos } = parseRetryInfo(value).retry_delay ?? { seconds: 0, nanos: 0 };
        this.retryAfterMs = seconds * 1000 + nanos / 1e6; // as the server asks
      }
    }
  }

  static ofCall(error) {
    if (error.code === undefined || error.metadata === undefined) return error; // not of gRPC
    const [details] = error.metadata.get("grpc-status-details-bin");
    const result = new ParityError(
      details ? parseStatus(details) : { code: error.code, message: error.details, details: [] });
    const [pushback] = error.metadata.get("grpc-retry-pushback-ms");
    if (pushback !== undefined) result.retryAfterMs ??= Number(pushback);
    return result;
  }

  // Whether to try again can help. The server keeps nothing, so any call may be repeated. A message that is
  // too large is RESOURCE_EXHAUSTED too, but names a field.
  get passes() {
    return this.code === grpc.status.UNAVAILABLE ||
      (this.code === grpc.status.RESOURCE_EXHAUSTED && this.field === undefined);
  }
}

// Milliseconds until the next attempt: twice as long each time, but never sooner than the server asks, and up
// to half as long again, so that not all clients come back at once. Throws what no attempt helps.
function pauseAfter(error, attempt, end) {
  const pause = Math.max(Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempt - 1)), error.retryAfterMs ?? 0) *
    (1 + Math.random() / 2);
  if (!error.passes || attempt >= MAX_ATTEMPTS || Date.now() + pause >= end) throw error;
  const asked = error.retryAfterMs === undefined ? "" : `, asked to wait ${error.retryAfterMs.toFixed(0)} ms`;
  console.error(`${error.message}${asked}; attempt ${attempt + 1} in ${pause.toFixed(0)} ms`);
  return pause;
}

// The shards of a response, if they have the checksums that came with them.
export function checked({ shards, checksums }) {
  if (checksums.length !== shards.length) {
    throw new Error(`got ${checksums.length} checksums of ${shards.length} shards`);
  }
  return shards.map((data, i) => {
    const shard = shardOf(data);
    if (shard.checksum !== checksums[i]) {
      const [got, want] = [shard.checksum, checksums[i]].map((crc) => crc.toString(16).padStart(8, "0"));
      throw new Error(`shard ${i} of the answer: got checksum ${got}, want ${want}`);
    }
    return shard;
  });
}

// Calls a server at HOST:PORT or unix:PATH. `deadlineMs` is for a call with all its attempts.
export class ParityClient {
  #geometry;
  #deadlineMs;
  #stub;

  constructor(target, geometry, deadlineMs = 10_000) {
    this.#geometry = geometry;
    this.#deadlineMs = deadlineMs;
    this.#stub = new ParityService(target, grpc.credentials.createInsecure(), {
      "grpc.max_receive_message_length": MAX_MESSAGE_BYTES,
      // While a channel waits to connect again, its calls fail: no longer than the pauses of a call.
      "grpc.initial_reconnect_backoff_ms": 100,
      "grpc.max_reconnect_backoff_ms": 1000,
    });
  }

  close() {
    this.#stub.close();
  }

  serverInfo() {
    return this.#call("GetServerInfo", {});
  }

  async encode(data) {
    return checked(await this.#call("Encode", this.encodeRequest(data)));
  }

  // The shards that are not in `present`; both are Maps from index to shard.
  async reconstruct(present) {
    const response = await this.#call("Reconstruct", this.reconstructRequest(present));
    const shards = checked(response);
    return new Map(response.indices.map((index, i) => [index, shards[i]]));
  }

  verify(shards) {
    return this.#call("Verify", this.#withShards(shards));
  }

  // The parity shards after the data shards in `old` have become those in `now`, Maps from index.
  async update(old, now, parity) {
    const changed = [...old.keys()];
    const shards = [...old.values(), ...changed.map((i) => now.get(i)), ...parity];
    return checked(await this.#call("Update", { changed, ...this.#withShards(shards) }));
  }

  encodeRequest(data) {
    return this.#withShards(data);
  }

  reconstructRequest(present) {
    return { present: [...present.keys()], ...this.#withShards([...present.values()]) };
  }

  // Yields a response for each ProcessRequest, as they are computed. Their ids must differ. At most `inFlight`
  // are unanswered; what is refused, or was under way when the stream broke, is sent again.
  async *process(requests, inFlight = 16) {
    const source = requests[Symbol.iterator]();
    const unanswered = new Map();
    const attempts = new Map();
    const end = Date.now() + this.#deadlineMs;
    let failures = 0; // of the stream, since the last answer
    for (;;) {
      const stream = this.#stub.Process({ deadline: end });
      const timers = new Set();
      const sendMore = () => {
        while (unanswered.size < inFlight) {
          const { value, done } = source.next();
          if (done) break;
          unanswered.set(value.id, value);
          stream.write(value);
        }
        if (unanswered.size === 0) stream.end();
      };
      try {
        for (const request of unanswered.values()) stream.write(request);
        sendMore();
        for await (const response of stream) {
          failures = 0;
          if (response.response === "error") {
            const attempt = (attempts.get(response.id) ?? 0) + 1;
            attempts.set(response.id, attempt);
            const pause = pauseAfter(new ParityError(response.error), attempt, end);
            // The others go on meanwhile.
            const timer = setTimeout(() => {
              timers.delete(timer);
              stream.write(unanswered.get(response.id));
            }, pause);
            timers.add(timer);
            continue;
          }
          unanswered.delete(response.id);
          yield response;
          sendMore();
        }
        return;
      } catch (error) {
        failures += 1;
        await sleep(pauseAfter(ParityError.ofCall(error), failures, end));
      } finally {
        for (const timer of timers) clearTimeout(timer);
        stream.cancel();
      }
    }
  }

  #withShards(shards) {
    return {
      geometry: this.#geometry,
      shards: shards.map((shard) => shard.data),
      checksums: shards.map((shard) => shard.checksum),
    };
  }

  async #call(method, request) {
    const call = promisify(this.#stub[method]).bind(this.#stub);
    const end = Date.now() + this.#deadlineMs;
    for (let attempt = 1; ; attempt++) {
      try {
        return await call(request, { deadline: end });
      } catch (error) {
        await sleep(pauseAfter(ParityError.ofCall(error), attempt, end));
      }
    }
  }
}
