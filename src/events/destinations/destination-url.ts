import { isPrivateLiteral } from '../../platform/address-guard.ts';

/** Printable ASCII without blanks and backslashes, which URL parsers drop or change. */
const PLAIN = /^[\x21-\x5b\x5d-\x7e]+$/;

export type UrlRules = {
  /** Lets destinations be reached over http and at private addresses. */
  readonly allowPrivateNetworks: boolean;
  /** Origins of the gateway itself, which sends nothing to itself. */
  readonly ownOrigins: readonly string[];
};

/**
 * What is wrong with the URL of a destination; undefined: nothing that its text tells. The addresses that its host
 * resolves to are judged at every connection.
 */
export function faultOfUrl(text: string, { allowPrivateNetworks, ownOrigins }: UrlRules): string | undefined {
  const url = PLAIN.test(text) && /^https?:\/\/[^/]/i.test(text) ? URL.parse(text) : null;
  if (url === null) return 'an absolute https URL';
  if (url.username !== '' || url.password !== '') return 'no user name or password';
  if (text.includes('#')) return 'no fragment';
  if (ownOrigins.includes(url.origin)) return 'not the gateway itself';
  if (allowPrivateNetworks) return undefined;
  if (url.protocol !== 'https:') return 'https is required';
  return isPrivateHost(url.hostname) ? 'not a private, loopback or metadata address' : undefined;
}

/** Whether the text of a host tells that it is not public. */
export function isPrivateHost(hostname: string): boolean {
  const bare = hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
  return isPrivateLiteral(bare) || bare === 'localhost' || bare.endsWith('.localhost');
}
