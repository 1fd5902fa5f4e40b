import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { isPublicAddress } from './addresses.ts';

/** Error code of a connection that the address policy refused. */
export const FORBIDDEN_ADDRESS = 'ERR_FORBIDDEN_ADDRESS';

/** Finds every address of a name, those to try first at the beginning. */
export type ResolveName = (
  hostname: string,
  callback: (error: NodeJS.ErrnoException | null, addresses: readonly LookupAddress[]) => void,
) => void;

/** `net.connect` does not call `lookup` for a literal address, so those are judged here. */
export function isPrivateLiteral(host: string | null | undefined): boolean {
  return typeof host === 'string' && isIP(host) !== 0 && !isPublicAddress(host);
}

/**
 * The `lookup` of `net.connect`, which gets its addresses from `resolveName`. Unless private networks are allowed, it
 * refuses a name altogether when any of its addresses is not public. The addresses that were judged are the ones that
 * are connected to, so that a name that changes its answer (DNS rebinding) gains nothing.
 *
 * It answers after it has returned, also from memory. `net.connect` connects within the callback, and the kernel may
 * refuse at once (`ENETUNREACH` without a route, `EADDRNOTAVAIL` without a free port): that error would come before the
 * socket has a listener, and would end the process.
 */
export function createLookup(resolveName: ResolveName, allowPrivateNetworks: boolean): LookupFunction {
  return (hostname, options, callback) => {
    resolveName(hostname, (error, found) => {
      process.nextTick(() => {
        if (error) callback(error, '');
        else passAddresses(hostname, options, allowPrivateNetworks, found, callback);
      });
    });
  };
}

type LookupArguments = Parameters<LookupFunction>;

function passAddresses(
  hostname: string,
  options: LookupArguments[1],
  allowPrivateNetworks: boolean,
  found: readonly LookupAddress[],
  callback: LookupArguments[2],
): void {
  if (!allowPrivateNetworks && !areAllPublic(found)) {
    callback(forbiddenAddress(), '');
    return;
  }
  const family = Number(String(options.family ?? 0).replace('IPv', ''));
  const addresses = found.filter((one) => family === 0 || one.family === family);
  const [first] = addresses;
  if (first === undefined) callback(unknownName(hostname), '');
  else if (options.all) callback(null, addresses);
  else callback(null, first.address, first.family);
}

function areAllPublic(addresses: readonly LookupAddress[]): boolean {
  return addresses.length > 0 && addresses.every(({ address }) => isPublicAddress(address));
}

export function forbiddenAddress(): NodeJS.ErrnoException {
  return Object.assign(new Error('The address is not public'), { code: FORBIDDEN_ADDRESS });
}

function unknownName(hostname: string): NodeJS.ErrnoException {
  return Object.assign(new Error('The name has no address'), { code: 'ENOTFOUND', hostname });
}
