import { isSignedKind } from '../../src/catalog/facts/auth-kinds.ts';
import type { ProviderFile } from '../../src/catalog/schema/provider.schema.ts';
import type { Source } from '../../src/catalog/schema/provider-standing.schema.ts';
import {
  type Address,
  findDomain,
  hasPlace,
  isHostAlike,
  isPathAlike,
  listPlaces,
  normalizeAddress,
  type Place,
} from './extract.ts';
import type { SourceRecord } from './read-records.ts';

type Group = Source['says'][number];

/** A record with its addresses, which are read once. */
export type ReadRecord = SourceRecord & { readonly addresses: readonly Address[] };

/** What one record says of one entry. */
export type Opinion = {
  readonly record: ReadRecord;
  readonly agrees: readonly Group[];
  readonly differs: readonly {
    readonly group: Group;
    readonly ours: string;
    readonly theirs: readonly string[];
  }[];
};

/**
 * Compares the addresses and the place of the credential of an entry with a record about the same product. A sign-in server
 * that many products share is confirmed by what the record's origin says of any of them.
 */
export function compareEntry(
  file: ProviderFile,
  record: ReadRecord,
  isSharedServer: (endpoints: readonly Address[], origin: string) => boolean,
): Opinion {
  const agrees: Group[] = [];
  const differs: Opinion['differs'][number][] = [];
  const endpoints = listEndpoints(file);
  if (endpoints.length > 0) {
    if (endpoints.every((ours) => hasAddress(record, ours))) agrees.push('endpoints');
    else differs.push(...differentEndpoints(record, endpoints));
  }
  const base = normalizeAddress(file.apiBaseUrl);
  if (base.host !== '*' && hasBase(record, base)) agrees.push('apiBase');
  else if (base.host !== '*') differs.push(...differentBase(record, base));
  if (agrees.join() === 'apiBase' && endpoints.length > 0 && isSharedServer(endpoints, record.origin)) {
    agrees.unshift('endpoints');
    differs.length = 0;
  }
  const isSameProduct = agrees.length > 0 || base.host === '*';
  const place = placeOf(file);
  if (place === undefined || !isSameProduct) return { record, agrees, differs };
  if (hasPlace(record.text, place)) agrees.push('keyPlacement');
  else {
    const theirs = listPlaces(record.text);
    if (theirs.length > 0)
      differs.push({ group: 'keyPlacement', ours: `${place.in} ${place.name} ${place.prefix}`, theirs });
  }
  return { record, agrees, differs };
}

export function listEndpoints({ authorizationUrl, tokenUrl, login }: ProviderFile): Address[] {
  const urls = [
    authorizationUrl,
    tokenUrl,
    ...(tokenUrl === undefined ? (login?.steps ?? []).map(({ url }) => url) : []),
  ];
  return urls.flatMap((url) => (url === undefined ? [] : [normalizeAddress(url)]));
}

/** Addresses of one server that its owner has under several names. */
const ALIASES: readonly (readonly string[])[] = [
  ['accounts.google.com/o/oauth2/v2/auth', 'accounts.google.com/o/oauth2/auth'],
  [
    'oauth2.googleapis.com/token',
    'googleapis.com/oauth2/v3/token',
    'googleapis.com/oauth2/v4/token',
    'accounts.google.com/o/oauth2/token',
  ],
  ['discord.com/oauth2/authorize', 'discord.com/api/oauth2/authorize', 'discordapp.com/api/oauth2/authorize'],
];

function hasAddress(record: ReadRecord, ours: Address): boolean {
  const names = ALIASES.find((alike) => alike.includes(textOf(ours)));
  if (names !== undefined) return record.addresses.some((theirs) => names.includes(textOf(theirs)));
  return record.addresses.some(({ host, path }) => {
    const isHost = ours.host === '*' || isHostAlike(ours.host, host);
    return isHost && (isPathAlike(ours.path, path) || isJoined(record.text, ours.path, path));
  });
}

/** Clients have the base of their calls apart from the path, which then stands in quotes. */
function isJoined(text: string, path: string, base: string): boolean {
  if (path === '' || !path.startsWith(base) || (/[^/]$/.test(base) && path[base.length] !== '/'))
    return false;
  const rest = path.slice(base.length).replace(/^\//, '');
  return (
    rest !== '' &&
    ['"', "'", '`'].some(
      (quote) =>
        text.includes(`${quote}/${rest}${quote}`) ||
        text.includes(`${quote}${rest}${quote}`) ||
        text.includes(`}/${rest}${quote}`),
    )
  );
}

/** The same host, and one path that begins with the other. */
function hasBase({ addresses }: ReadRecord, ours: Address): boolean {
  return addresses.some(({ host, path }) => isHostAlike(ours.host, host) && isBelow(ours.path, path));
}

function isBelow(ours: string, theirs: string): boolean {
  const [short, long] = ours.length <= theirs.length ? [ours, theirs] : [theirs, ours];
  if (short === '') return true;
  const parts = short.split('/');
  return isPathAlike(short, long.split('/').slice(0, parts.length).join('/'));
}

const SIGN_IN = /(authori[sz]|oauth|token|login|connect)/i;
const READERS =
  /^(docs?|developers?|dev|help|support|community|blog|app|status|cdn|static|learn|knowledge|api-?docs)\./;

function differentEndpoints({ addresses }: ReadRecord, endpoints: readonly Address[]): Opinion['differs'] {
  const domains = new Set(endpoints.map(({ host }) => findDomain(host)));
  const theirs = addresses.filter(
    ({ host, path }) => domains.has(findDomain(host)) && SIGN_IN.test(path) && !READERS.test(host),
  );
  if (theirs.length === 0) return [];
  return [
    { group: 'endpoints', ours: endpoints.map(textOf).join(' '), theirs: theirs.slice(0, 4).map(textOf) },
  ];
}

function differentBase({ addresses }: ReadRecord, ours: Address): Opinion['differs'] {
  const theirs = addresses.filter(
    ({ host, path }) =>
      findDomain(host) === findDomain(ours.host) && !READERS.test(host) && !/\.(png|svg|html?)$/.test(path),
  );
  if (theirs.length === 0) return [];
  return [{ group: 'apiBase', ours: textOf(ours), theirs: theirs.slice(0, 6).map(textOf) }];
}

function textOf({ host, path }: Address): string {
  return `${host}${path}`;
}

/** Where the entry sends its credential. */
function placeOf(file: ProviderFile): Place | undefined {
  if (file.auth === 'basic') return { in: 'basic', name: 'Authorization', prefix: 'Basic' };
  const { apiKey, accessTokenHeader } = file;
  if (file.auth === 'api-key') {
    if (apiKey === undefined || apiKey.in === 'path') return undefined;
    return { in: apiKey.in, name: apiKey.name, prefix: prefixOf(apiKey.template) };
  }
  if (isSignedKind(file.auth)) return { in: 'signature', name: file.auth, prefix: '' };
  const { name = 'Authorization', template = 'Bearer {accessToken}' } = accessTokenHeader ?? {};
  return { in: 'header', name, prefix: prefixOf(template) };
}

function prefixOf(template: string): string {
  return template.slice(0, Math.max(template.indexOf('{'), 0)).trim();
}

/** How many entries have to share a sign-in server for it to be a fact of its owner. */
const SHARED_BY = 5;

/** Knows which origins have the endpoints that several entries share, in any of their records. */
export function createSharedServers(files: readonly ProviderFile[], records: readonly ReadRecord[]) {
  const keyOf = (endpoints: readonly Address[]) => endpoints.map(textOf).join(' ');
  const entries = Map.groupBy(files, (file) => keyOf(listEndpoints(file)));
  const byOrigin = Map.groupBy(records, ({ origin }) => origin);
  const known = new Map<string, boolean>();
  return (endpoints: readonly Address[], origin: string): boolean => {
    if ((entries.get(keyOf(endpoints))?.length ?? 0) < SHARED_BY) return false;
    const key = `${origin} ${keyOf(endpoints)}`;
    const isKnown =
      known.get(key) ??
      (byOrigin.get(origin) ?? []).some((record) => endpoints.every((ours) => hasAddress(record, ours)));
    known.set(key, isKnown);
    return isKnown;
  };
}
