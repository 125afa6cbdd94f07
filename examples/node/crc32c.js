// CRC32C (RFC 3720, B.4), eight bytes at a time: "slicing-by-8" of Kounavis and Berry.
const tables = Array.from({ length: 8 }, () => new Uint32Array(256));
for (let byte = 0; byte < 256; byte++) {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0x82f63b78 : 0);
  tables[0][byte] = crc;
}
for (let t = 1; t < 8; t++) {
  for (let byte = 0; byte < 256; byte++) {
    const crc = tables[t - 1][byte];
    tables[t][byte] = (crc >>> 8) ^ tables[0][crc & 0xff];
  }
}
const [t0, t1, t2, t3, t4, t5, t6, t7] = tables;

export function crc32c(bytes) {
  let crc = ~0;
  let i = 0;
  for (const end = bytes.length - 7; i < end; i += 8) {
    crc ^= bytes[i] | (bytes[i + 1] << 8) | (bytes[i + 2] << 16) | (bytes[i + 3] << 24);
    crc = t7[crc & 0xff] ^ t6[(crc >>> 8) & 0xff] ^ t5[(crc >>> 16) & 0xff] ^ t4[crc >>> 24] ^
      t3[bytes[i + 4]] ^ t2[bytes[i + 5]] ^ t1[bytes[i + 6]] ^ t0[bytes[i + 7]];
  }
  for (; i < bytes.length; i++) crc = (crc >>> 8) ^ t0[(crc ^ bytes[i]) & 0xff];
  return ~crc >>> 0;
}
