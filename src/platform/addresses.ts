import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Public by their range, but answering with a machine's own secrets or reaching its host: metadata and platform
 * services of clouds. Ranges such as 169.254.0.0/16 (most metadata services) are not public to begin with.
 */
const DENIED: readonly string[] = [
  '168.63.129.16', // Azure's platform channel
  '100.100.100.200', // Alibaba Cloud metadata (inside 100.64.0.0/10, named for the reader)
  '192.0.0.192', // Oracle Cloud metadata (inside 192.0.0.0/24, likewise)
];

/** Ranges of the IANA special-purpose registries that ipaddr.js counts as unicast. */
const DENIED_RANGES: readonly (readonly [string, number])[] = [
  ['192.88.99.0', 24], // 6to4 relay anycast (RFC 7526)
  ['64:ff9b:1::', 48], // local-use NAT64 (RFC 8215): may lead to any private IPv4 address
  ['5f00::', 16], // segment routing SIDs (RFC 9602)
  ['3fff::', 20], // documentation (RFC 9637)
  ['fec0::', 10], // site-local, deprecated (RFC 3879)
  ['::', 96], // IPv4-compatible, deprecated (RFC 4291 section 2.5.5.1): leads to the IPv4 address in it
];

const deniedRanges = DENIED_RANGES.map(([address, bits]) => [ipaddr.parse(address), bits] as const);

/**
 * True when the address is one that any host on the internet could have: global unicast, not loopback, private,
 * link-local, carrier-grade NAT, multicast, documentation, or a form that hides an IPv4 address (mapped, 6to4, Teredo,
 * NAT64). Pure. False for anything that is not the text of an IP address.
 */
export function isPublicAddress(address: string): boolean {
  const bare = address.startsWith('[') && address.endsWith(']') ? address.slice(1, -1) : address;
  if (isIP(bare) === 0 || bare.includes('%')) return false;
  const parsed = ipaddr.parse(bare);
  if (parsed.range() !== 'unicast' || DENIED.includes(parsed.toString())) return false;
  return !deniedRanges.some(([range, bits]) => range.kind() === parsed.kind() && parsed.match(range, bits));
}
