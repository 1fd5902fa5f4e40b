/** Castagnoli's polynomial, bits reversed. */
const POLYNOMIAL = 0x82f63b78;

/** CRC-32C (RFC 3720 appendix B.4), for messages of some hundred bytes; Node has CRC-32 of the other polynomial only. */
export function crc32c(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc & 1) === 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}
