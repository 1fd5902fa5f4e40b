/** An address with `*` in the place of what is filled in. */
export type Address = { readonly host: string; readonly path: string };

const ADDRESS = /https?:\/\/((?:[^\s"'`<>\\()[\],;|{}]|\$?\{+[^{}]*\}+|<[\w .-]+>|%[sv])+)/g;
const FILLED = /\$?\{+[^{}]*\}+|<[^<>]*>|%[sv]|:[A-Za-z_]\w*|\$[A-Za-z_]\w*/g;

/** Every address in a text of any language. */
export function listAddresses(text: string): Address[] {
  const found = new Map<string, Address>();
  for (const [, rest = ''] of text.matchAll(ADDRESS)) {
    const address = normalizeAddress(rest);
    if (address.host.includes('.') || address.host === '*')
      found.set(`${address.host}${address.path}`, address);
  }
  return [...found.values()];
}

/** `{shop}.acme.example/api/` becomes `*.acme.example` and `/api`. */
export function normalizeAddress(given: string): Address {
  const plain = given
    .replace(/^https?:\/\//, '')
    .replace(FILLED, '*')
    .replace(/[?#].*$/, '')
    .replace(/[.:]+$/, '');
  const slash = plain.indexOf('/');
  const host = (slash < 0 ? plain : plain.slice(0, slash)).toLowerCase().replace(/^www\./, '');
  const path = slash < 0 ? '' : plain.slice(slash).replace(/\/+$/, '').replaceAll('//', '/');
  return { host, path };
}

/** Whether two hosts may be the same where either leaves labels open; only at its end may that be several. */
export function isHostAlike(ours: string, theirs: string): boolean {
  if (ours === '*' || theirs === '*') return false;
  const patternOf = (host: string) => toPattern(host, '[^/.]+').replace(/\[\^\/\.\]\+\$$/, '[^/]+$');
  return (
    ours === theirs || new RegExp(patternOf(ours)).test(theirs) || new RegExp(patternOf(theirs)).test(ours)
  );
}

/** Whether two paths may be the same where either leaves segments open. */
export function isPathAlike(ours: string, theirs: string): boolean {
  const patternOf = (path: string) => new RegExp(toPattern(path, '[^/]+'), 'i');
  return ours === theirs || patternOf(ours).test(theirs) || patternOf(theirs).test(ours);
}

function toPattern(text: string, open: string): string {
  return `^${text.replace(/[.+?^$()|[\]\\]/g, '\\$&').replaceAll('*', open)}$`;
}

/** The last labels of a host, by which products of one owner are alike. */
export function findDomain(host: string): string {
  const labels = host.split('.');
  const isLong = /^(com?|net|org|gov)$/.test(labels.at(-2) ?? '') && labels.length > 2;
  return labels.slice(isLong ? -3 : -2).join('.');
}

/** Where a key is sent: the header or parameter, and what stands before it there. */
export type Place = {
  readonly in: 'header' | 'query' | 'basic' | 'signature';
  readonly name: string;
  readonly prefix: string;
};

const BASIC =
  /SetBasicAuth|Basic |BasicAuth|BASIC|"?scheme"?:\s*"basic"|"type":\s*"basic"|auth:\s*\{\s*(\n\s*)?user(name)?\b|basicAuth/i;
const BEARER = /Bearer[\s$%{+"'`]|BEARER_TOKEN|"scheme":\s*"bearer"|type: 'oauth2'|bearerToken/i;

/** Whether the text puts a key there too. */
export function hasPlace(text: string, place: Place): boolean {
  if (place.in === 'basic') return BASIC.test(text);
  if (place.in === 'signature') return SIGNATURES[place.name]?.test(text) ?? false;
  const name = place.name.replace(/[.*+?^$()|[\]\\{}]/g, '\\$&');
  if (place.in === 'query') return new RegExp(`[?&]${name}=|["'\`]${name}["'\`]|\\b${name}:\\s`).test(text);
  if (place.name.toLowerCase() !== 'authorization')
    return new RegExp(`["'\`]?\\b${name}\\b["'\`]?`, 'i').test(text);
  if (/^bearer$/i.test(place.prefix)) return BEARER.test(text);
  if (/^basic$/i.test(place.prefix)) return BASIC.test(text);
  if (place.prefix !== '') return ['', ' ', '"', '\\"'].some((gap) => hasFilled(text, place.prefix + gap));
  return BARE.test(text);
}

/** The words before a key, and something that is filled in after them. */
function hasFilled(text: string, before: string): boolean {
  return before.endsWith(' ')
    ? text.includes(before)
    : ['$', '{', '%', '<'].some((mark) => text.includes(before + mark));
}

/** Credentials that sign and are sent nowhere. */
const SIGNATURES: Readonly<Record<string, RegExp>> = {
  'aws-sigv4': /AWS4-HMAC-SHA256|sig(nature)?[-_ ]?v4|aws4(fetch|\b)|credential.*service=/i,
  oauth1: /oauth_signature|HMAC-SHA1|oauth ?1\.0a?|"oauth":\s*1\b/i,
  'jwt-per-call': /jsonwebtoken|\bjwt\b|\b(ES|RS|HS)256\b/i,
  wsse: /x-wsse|UsernameToken/i,
};

/** The key alone in `Authorization`. */
const BARE =
  /["'`]?authorization["'`]?\s*[:,\]=]+\s*(?!["'`]?=?\s*["'`]?(Bearer|Basic|Token|fmt\.Sprintf))["'`]?[=${A-Za-z]/i;

/** Other places that the text names, for a reader who decides between the two. */
export function listPlaces(text: string): string[] {
  const named = text.matchAll(
    /["'`]?\b(authorization|x-[a-z-]*(?:key|token|auth)[a-z-]*|api-?key|api-token|apikey|access-token)["'`]?\s*[:,\]=]+\s*(?:fmt\.Sprintf\()?["'`]?=?([A-Za-z-]+)?/gi,
  );
  const places = [...named].map(([, name = '', prefix = '']) => `${name.toLowerCase()} ${prefix}`.trim());
  return [
    ...new Set([...places, ...(BASIC.test(text) ? ['basic'] : []), ...(BEARER.test(text) ? ['bearer'] : [])]),
  ];
}
