import { lookup as dnsLookup, type LookupAddress, type LookupOptions } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { isPublicAddress } from './addresses.ts';

/** Error code of a connection that the address policy refused. */
export const FORBIDDEN_ADDRESS = 'ERR_FORBIDDEN_ADDRESS';

/** `net.connect` does not call `lookup` for a literal address, so those are judged here. */
export function isPrivateLiteral(host: string | null | undefined): boolean {
  return typeof host === 'string' && isIP(host) !== 0 && !isPublicAddress(host);
}

/** Resolves a name and refuses it altogether when any of its addresses is not public. */
export const guardedLookup: LookupFunction = (hostname, options, callback) => {
  const all: LookupOptions & { all: true } = { ...options, all: true };
  dnsLookup(hostname, all, (error, addresses: LookupAddress[]) => {
    const first = addresses?.[0];
    if (error) callback(error, '');
    else if (first === undefined || !addresses.every(({ address }) => isPublicAddress(address))) {
      callback(forbiddenAddress(), '');
    } else if (options.all) callback(null, addresses);
    else callback(null, first.address, first.family);
  });
};

export function forbiddenAddress(): NodeJS.ErrnoException {
  const error: NodeJS.ErrnoException = new Error('The address is not public');
  error.code = FORBIDDEN_ADDRESS;
  return error;
}
