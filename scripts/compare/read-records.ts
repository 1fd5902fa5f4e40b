import { dirname } from 'node:path';
import { parse } from 'yaml';
import { isRecord } from '../../src/lib/is-record.ts';
import type { OriginFiles } from './read-origin.ts';

/** What one source has about one provider. */
export type SourceRecord = {
  readonly origin: string;
  readonly from: string;
  readonly name: string;
  readonly text: string;
  readonly isVendor: boolean;
};

const TEXT_LENGTH_MAX = 400_000;

export function readRecords(given: OriginFiles): SourceRecord[] {
  const { bearer } = given.origin;
  const records = readParts(given);
  if (bearer === undefined) return records;
  return records.map((record) =>
    bearer.test(record.text) ? { ...record, text: `${record.text}\nAuthorization: Bearer {token}` } : record,
  );
}

function readParts(given: OriginFiles): SourceRecord[] {
  const { unit } = given.origin;
  if (unit instanceof RegExp) return readUnits(unit, given);
  return [...given.files].flatMap(([path, text]) =>
    unit === 'openapi' ? readOpenApi(path, text, given) : readMembers(path, text, given),
  );
}

/** Files with one name in them are one record. */
function readUnits(unit: RegExp, { origin, files, address }: OriginFiles): SourceRecord[] {
  const parts = new Map<string, { readonly first: string; readonly texts: string[] }>();
  for (const [file, text] of [...files].sort()) {
    const name = unit
      .exec(file)
      ?.slice(1)
      .find((group) => group !== undefined);
    if (name === undefined) continue;
    const part = parts.get(name) ?? { first: file, texts: [] };
    part.texts.push(text);
    parts.set(name, part);
  }
  return [...parts].map(([name, { first, texts }]) => {
    return {
      origin: origin.from,
      from: address(texts.length === 1 ? first : commonFolder(first, unit)),
      name,
      text: texts.join('\n').slice(0, TEXT_LENGTH_MAX),
      isVendor: false,
    };
  });
}

/** The folder that the unit's name ends. */
function commonFolder(file: string, unit: RegExp): string {
  const found = unit.exec(file);
  return found?.[0].endsWith('/') ? file.slice(0, found.index + found[0].length - 1) : dirname(file);
}

function readMembers(path: string, text: string, { origin, address }: OriginFiles): SourceRecord[] {
  const table: unknown = parse(text, { maxAliasCount: -1, merge: true });
  if (!isRecord(table)) return [];
  return Object.entries(table).map(([name, member]) => ({
    origin: origin.from,
    from: address(path),
    name,
    text: JSON.stringify(withAlias(table, member)),
    isVendor: false,
  }));
}

/** An entry that says `alias` has the other's fields below its own. */
function withAlias(table: Readonly<Record<string, unknown>>, member: unknown): unknown {
  if (!isRecord(member) || typeof member.alias !== 'string') return member;
  const other = table[member.alias];
  return isRecord(other) ? { ...other, ...member } : member;
}

/** Of a document only servers and security schemes are kept. Its address is the one it was taken from. */
function readOpenApi(path: string, text: string, { origin, address }: OriginFiles): SourceRecord[] {
  const document = parseRecord(text);
  if (document === undefined) return [];
  const [, vendor = '', api = 'main'] =
    /(?:openapi|generated|manual)\/([^/]+)\/([^/]+)(?:\/|$)/.exec(path) ?? [];
  const info = isRecord(document.info) ? document.info : {};
  const source = String(info['x-jentic-source-url'] ?? '').split(/[?#]/, 1)[0] ?? '';
  const components = isRecord(document.components) ? document.components : {};
  const label =
    vendor
      .replace(/\.(com?|net|org|io|dev|app|ai)(\.\w\w)?$/, '')
      .split('.')
      .at(-1) ?? vendor;
  const isVendor = isOwnAddress(source, label);
  return [
    {
      origin: origin.from,
      from: isVendor && source.length < 250 ? source : address(path),
      name: api === 'main' ? label : `${label}-${api}`,
      text: JSON.stringify([
        document.servers ?? [],
        components.securitySchemes ?? document.securityDefinitions ?? {},
      ]),
      isVendor,
    },
  ];
}

/** At the vendor's own host, or in a repository of its own. */
function isOwnAddress(address: string, label: string): boolean {
  const url = URL.parse(address);
  if (url?.protocol !== 'https:') return false;
  const isShared = /(^|\.)(github(usercontent)?|gitlab)\.com$/.test(url.hostname);
  const owner = isShared ? (url.pathname.split('/')[1] ?? '') : url.hostname;
  return owner.toLowerCase().replaceAll('-', '').includes(label.toLowerCase().replaceAll('-', ''));
}

function parseRecord(text: string): Record<string, unknown> | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return isRecord(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}
