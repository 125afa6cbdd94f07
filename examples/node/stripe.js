// The life of a stripe: encoded, damaged, repaired, verified, updated; then many of them on one stream.
//
//   node stripe.js TARGET [--requests N] [--deadline SECONDS]
//
// TARGET is 127.0.0.1:7420 or unix:PATH. N is 200; SECONDS, of a call or of the stream, are 10.
// Exits 0 only if everything holds.
import { randomBytes } from "node:crypto";
import { parseArgs } from "node:util";

import grpc from "@grpc/grpc-js";

import { checked, ParityClient, ParityError, sameShards, shardOf } from "./parity_client.js";

const DATA = 4;
const PARITY = 2;
const LARGE_BYTES = 3 << 20; // two parity shards of this are more than gRPC's default receive limit
const SMALL_BYTES = 256 << 10; // a message of 1 MiB

function require(holds, what) {
  if (!holds) throw new Error(what);
}

const randomShard = (bytes) => shardOf(randomBytes(bytes));

async function oneStripe(client) {
  const data = Array.from({ length: DATA }, () => randomShard(LARGE_BYTES));
  const parity = await client.encode(data);
  require(parity.length === PARITY, "encode: the number of parity shards");
  const stripe = [...data, ...parity];
  console.log(`encode: ${DATA}+${PARITY} shards of ${LARGE_BYTES} bytes, checksums match`);

  const lost = [1, 4];
  const restored = await client.reconstruct(new Map([...stripe.entries()].filter(([i]) => !lost.includes(i))));
  require(
    String([...restored.keys()]) === String(lost) && sameShards([...restored.values()], lost.map((i) => stripe[i])),
    "reconstruct: shards as they were");
  console.log("reconstruct: shards 1 and 4 are as they were");

  require((await client.verify(stripe)).mismatches.length === 0, "verify: a stripe without mismatches");
  const rotten = Buffer.from(data[2].data);
  rotten[1000] ^= 0x40;
  // With the checksum that was kept with it, the shard is refused by name.
  const refusal = await client.verify(stripe.map((shard, i) => (i === 2 ? { ...shard, data: rotten } : shard)))
    .then(() => undefined, (error) => error);
  require(
    refusal instanceof ParityError && refusal.code === grpc.status.DATA_LOSS && refusal.field === "shards[2]",
    `verify: DATA_LOSS of shards[2], got ${refusal?.message ?? "no error"}`);
  // Had it been checksummed when it was rotten already, the parity shards tell.
  const report = await client.verify(stripe.map((shard, i) => (i === 2 ? shardOf(rotten) : shard)));
  require(
    report.mismatches.map(({ shard, offset }) => `${shard}@${offset}`).join() === "4@1000,5@1000",
    "verify: both parity shards differ at the byte that changed");
  require(report.suspect === 2, "verify: the suspect is shard 2");
  console.log("verify: the stripe is consistent; a corrupted shard 2 is found by checksum, and by parity");

  const now = randomShard(LARGE_BYTES);
  const updated = await client.update(new Map([[0, data[0]]]), new Map([[0, now]]), parity);
  require(sameShards(updated, await client.encode([now, ...data.slice(1)])), "update: the parity that encoding gives");
  console.log("update: parity by delta is what encoding gives");
}

async function manyStripes(client, count) {
  const data = Array.from({ length: DATA }, () => randomShard(SMALL_BYTES));
  const parity = await client.encode(data);
  const encode = client.encodeRequest(data);
  const reconstruct = client.reconstructRequest(
    new Map([[0, data[0]], [2, data[2]], [4, parity[0]], [5, parity[1]]]));
  console.log(`stream: ${count} requests, up to 16 in flight`);

  function* requests() {
    for (let id = 0; id < count; id++) yield id % 2 === 0 ? { id, encode } : { id, reconstruct };
  }
  const answered = new Set();
  for await (const response of client.process(requests(), 16)) {
    if (response.id % 2 === 0) {
      require(sameShards(checked(response.encode), parity), `stream: parity of request ${response.id}`);
    } else {
      require(
        sameShards(checked(response.reconstruct), [data[1], data[3]]),
        `stream: lost shards of request ${response.id}`);
    }
    answered.add(response.id);
  }
  require(answered.size === count, "stream: an answer for every request");
  console.log(`stream: ${count} answers, checksums match`);
}

const usage = "usage: stripe.js TARGET [--requests N] [--deadline SECONDS]";
let options;
try {
  options = parseArgs({
    allowPositionals: true,
    options: { requests: { type: "string", default: "200" }, deadline: { type: "string", default: "10" } },
  });
  if (options.positionals.length !== 1) throw new Error("one target is wanted");
} catch (error) {
  console.error(`${usage}: ${error.message}`);
  process.exit(2);
}
const geometry = { code: "CODE_REED_SOLOMON", data_shards: DATA, parity_shards: PARITY };
const client = new ParityClient(options.positionals[0], geometry, Number(options.values.deadline) * 1000);
try {
  const info = await client.serverInfo();
  console.log(`server: ${info.version}, kernels ${info.kernels}, ` +
    `messages of up to ${info.limits.max_message_bytes} bytes`);
  await oneStripe(client);
  await manyStripes(client, Number(options.values.requests));
} catch (error) {
  console.error(`stripe.js: FAILED: ${error.message}`);
  process.exitCode = 1;
} finally {
  client.close();
}
