import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import proxyAddress from 'proxy-addr';

/** How many proxies in front are believed, or which; as Express's setting `trust proxy`. */
export type TrustProxy = number | string[] | false;

/** Whose request this is, by its address. `unknown` where the connection is gone. */
type ClientAddress = (request: IncomingMessage) => string;

/** The address as `request.ip` of an Express app with the same setting, for code that runs before Express. */
export function createClientAddress(trustProxy: TrustProxy): ClientAddress {
  const trust = compileTrust(trustProxy);
  return (request) => (request.socket.remoteAddress ? proxyAddress(request, trust) : 'unknown');
}

/** Whether the setting believes the sender of this address, so many hops before the gateway. */
export function compileTrust(trustProxy: TrustProxy): (address: string, index: number) => boolean {
  if (trustProxy === false) return () => false;
  if (typeof trustProxy === 'number') return (_address, index) => index < trustProxy;
  return proxyAddress.compile(trustProxy);
}

/**
 * The key of limits per address: an IPv4 address, or the /64 of an IPv6 one, since a single host gets a whole /64
 * (RFC 6177 section 2). Text that is no address, as a trusted proxy may send, is taken as it is, up to 64 characters.
 */
export function maskToNetwork(address: string): string {
  if (!isIPv6(address)) return address.slice(0, 64);
  const [plain = ''] = address.split('%');
  const parsed = ipaddr.IPv6.parse(plain);
  if (parsed.isIPv4MappedAddress()) return parsed.toIPv4Address().toString();
  return `${parsed.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}
