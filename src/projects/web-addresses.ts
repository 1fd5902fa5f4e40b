import { isIP } from 'node:net';
import { isPublicAddress } from '../platform/addresses.ts';

const ADDRESS_LENGTH_MAX = 2000;

/** Printable ASCII without blanks: URL parsers drop tabs and line feeds, so that two spellings would mean one address. */
const PLAIN = /^[\x21-\x7e]+$/;

export type UrlValidation = { readonly ok: true } | { readonly ok: false; readonly message: string };

const OK: UrlValidation = { ok: true };

function refuse(message: string): UrlValidation {
  return { ok: false, message };
}

/**
 * Whether this is a web origin exactly as browsers send it (RFC 6454 section 6.2): scheme, host, and a port unless it
 * is the scheme's own. It is compared byte for byte, so that any other spelling would never match.
 */
export function validateOrigin(text: string, options: { allowInsecure: boolean }): UrlValidation {
  const url = parse(text);
  if (url === undefined) return refuse('Not an http(s) origin such as https://app.example.com');
  if (text.includes('*')) return refuse('Wildcards are not taken: list every origin');
  if (url.origin !== text) {
    return refuse('Write it as browsers send it: scheme://host[:port], lower case, no path, no default port');
  }
  return judgeScheme(url, options);
}

/**
 * Whether end users may be sent back to this URL with a completion code: absolute, and without a fragment, which the
 * gateway adds itself.
 */
export function validateReturnUrl(text: string, options: { allowInsecure: boolean }): UrlValidation {
  const url = parse(text);
  if (url === undefined) return refuse('Not an absolute http(s) URL');
  if (text.includes('#')) return refuse('No fragment: the gateway adds its own');
  if (text.includes('\\')) return refuse('No backslash');
  if (url.username !== '' || url.password !== '') return refuse('No user name or password');
  return judgeScheme(url, options);
}

/** Whether end users' browsers may load a picture from here: https anywhere, since pages may stand on https. */
export function validateLogoUrl(text: string): UrlValidation {
  const url = parse(text);
  if (url?.protocol !== 'https:') return refuse('Not an absolute https URL');
  // The host goes into the pages' content security policy, where `*` and `;` have a meaning.
  if (!/^[a-z0-9._-]+$/.test(url.hostname)) return refuse('Not a plain host name');
  if (text.includes('#') || url.username !== '' || url.password !== '') {
    return refuse('No fragment, user name or password');
  }
  return OK;
}

/** Whether an identity provider's keys may be fetched here, as far as the URL alone shows. */
export function validateJwksUrl(text: string, options: { allowInsecure: boolean }): UrlValidation {
  const url = parse(text);
  if (url === undefined) return refuse('Not an absolute http(s) URL');
  if (text.includes('#') || url.username !== '' || url.password !== '') {
    return refuse('No fragment, user name or password');
  }
  if (options.allowInsecure) return OK;
  if (url.protocol !== 'https:') return refuse('https is required');
  return isPrivateHost(url.hostname) ? refuse('Not a private, loopback or metadata address') : OK;
}

/**
 * Whether an OpenID provider may name itself so (OpenID Connect Discovery 1.0 section 3), and its documents be fetched here as
 * far as the URL alone shows. It is compared to the letter.
 */
export function validateIssuer(text: string, options: { allowInsecure: boolean }): UrlValidation {
  if (text.includes('?')) return refuse('No query');
  return validateJwksUrl(text, options);
}

/** Judges a host without the DNS; the addresses that it resolves to are checked at each fetch. */
function isPrivateHost(hostname: string): boolean {
  const bare = hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
  if (isIP(bare) !== 0) return !isPublicAddress(bare);
  return bare === 'localhost' || bare.endsWith('.localhost') || bare === 'metadata.google.internal';
}

function parse(text: string): URL | undefined {
  if (text.length > ADDRESS_LENGTH_MAX || !PLAIN.test(text) || !/^https?:\/\/[^/]/i.test(text))
    return undefined;
  return URL.canParse(text) ? new URL(text) : undefined;
}

function judgeScheme(url: URL, { allowInsecure }: { allowInsecure: boolean }): UrlValidation {
  if (url.protocol === 'https:' || allowInsecure || isLoopback(url.hostname)) return OK;
  return refuse('https is required unless the host is localhost, 127.0.0.1 or [::1]');
}

/** RFC 8252 section 7.3, and RFC 6761 section 6.3 for names below localhost. */
function isLoopback(hostname: string): boolean {
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    /^127\.\d+\.\d+\.\d+$/.test(hostname)
  );
}
