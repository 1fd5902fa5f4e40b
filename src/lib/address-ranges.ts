import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** An IPv4-mapped IPv6 address (RFC 4291 section 2.5.5.2) has its IPv4 address behind so many bits. */
const MAPPED_BITS = 96;

/**
 * The one way to write a range: the first address of it, in the form of RFC 5952, and its bits. `10.1.2.3/8` is
 * `10.0.0.0/8`, an address alone is a range of itself, and an IPv4-mapped range is the IPv4 range in it. Undefined for
 * what is no address with a prefix length, for an IPv6 zone, and for IPv4 in other notations (octal, hexadecimal, short).
 */
export function normalizeRange(text: string): string | undefined {
  const [address = '', prefix, ...rest] = text.split('/');
  if (rest.length > 0 || isIP(address) === 0 || address.includes('%')) return undefined;
  const parsed = ipaddr.parse(address);
  const bitsMax = parsed.kind() === 'ipv4' ? 32 : 128;
  if (prefix !== undefined && !/^(0|[1-9]\d{0,2})$/.test(prefix)) return undefined;
  const bits = prefix === undefined ? bitsMax : Number(prefix);
  if (bits > bitsMax) return undefined;
  if (!(parsed instanceof ipaddr.IPv6) || !parsed.isIPv4MappedAddress()) return formatRange(parsed, bits);
  // A shorter one holds other addresses as well, which no caller has.
  return bits < MAPPED_BITS ? undefined : formatRange(parsed.toIPv4Address(), bits - MAPPED_BITS);
}

/**
 * Whether the address is in one of the normalized ranges. An IPv4-mapped address counts as the IPv4 address in it, a zone
 * is left out of account, and what is no address is in no range.
 */
export function isInRanges(address: string, ranges: readonly string[]): boolean {
  const [bare = ''] = address.split('%');
  if (isIP(bare) === 0) return false;
  const parsed = ipaddr.process(bare);
  return ranges.some((range) => {
    const [first, bits] = ipaddr.parseCIDR(range);
    return first.kind() === parsed.kind() && parsed.match(first, bits);
  });
}

function formatRange(address: Address, bits: number): string {
  const bytes = address.toByteArray().map((byte, index) => byte & maskOf(bits - index * 8));
  const first = ipaddr.fromByteArray(bytes);
  return `${first instanceof ipaddr.IPv6 ? first.toRFC5952String() : first.toString()}/${bits}`;
}

/** The mask of a byte of which the first `bits` count. */
function maskOf(bits: number): number {
  return bits >= 8 ? 0xff : bits <= 0 ? 0 : (0xff << (8 - bits)) & 0xff;
}
