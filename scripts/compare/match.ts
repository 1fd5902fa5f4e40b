import type { ProviderFile } from '../../src/catalog/schema/provider.schema.ts';
import { listAddresses, normalizeAddress } from './extract.ts';
import type { ReadRecord } from './judge.ts';
import type { SourceRecord } from './read-records.ts';

/** What names of one product end in, by the way to authenticate. */
const ENDINGS =
  /(-?(oauth2?|api|api-?key|v\d|token|access-?token|personal-?access-?token|basic-?auth|basic|auth|cc|client-credentials|client|ip|common))+$/i;
/** A host of more entries than this says little about one product. */
const ENTRIES_OF_HOST_MAX = 3;

/** `Airtable OAuth2 Api` and `airtable-oauth` have one key. */
export function nameKey(name: string): string {
  const plain = name.normalize('NFKD').toLowerCase();
  const short = plain.replace(/^(microsoft|google)(?=[a-z])/, '$1').replace(ENDINGS, '');
  return (short.length > 1 ? short : plain).replace(/[^a-z0-9]/g, '');
}

/** The records of one origin under one name are one. */
export function mergeRecords(records: readonly SourceRecord[]): ReadRecord[] {
  const merged = new Map<string, SourceRecord>();
  for (const record of records) {
    const key = `${record.origin} ${record.isVendor ? record.from : nameKey(record.name)}`;
    const other = merged.get(key);
    merged.set(key, other === undefined ? record : { ...other, text: `${other.text}\n${record.text}` });
  }
  return [...merged.values()].map((record) => ({
    ...record,
    addresses: listAddresses(withHost(record.text)),
  }));
}

/** Swagger 2 has host and base path apart. */
function withHost(text: string): string {
  const [, host] = /"host"\s*:\s*"([a-z0-9.{}-]+)"/i.exec(text) ?? [];
  if (host === undefined) return text;
  const [, path = ''] = /"basePath"\s*:\s*"([^"]*)"/.exec(text) ?? [];
  return `https://${host}${path}\n${text}`;
}

/** Finds the records about an entry: those with its name, and those with an API host that few entries have. */
export function createMatcher(files: readonly ProviderFile[], records: readonly ReadRecord[]) {
  const byName = Map.groupBy(records, ({ name }) => nameKey(name));
  const byHost = new Map<string, ReadRecord[]>();
  for (const record of records) {
    for (const host of new Set(record.addresses.map(({ host: each }) => each))) {
      byHost.set(host, [...(byHost.get(host) ?? []), record]);
    }
  }
  const entriesOfHost = Map.groupBy(files, ({ apiBaseUrl }) => normalizeAddress(apiBaseUrl).host);
  return (file: ProviderFile): ReadRecord[] => {
    const { host } = normalizeAddress(file.apiBaseUrl);
    // Under one domain a server of many customers' products proves nothing of its owner's.
    const isOwnHost = !host.startsWith('*') && (entriesOfHost.get(host)?.length ?? 0) <= ENTRIES_OF_HOST_MAX;
    const named = [file.id, file.name].flatMap((name) => byName.get(nameKey(name)) ?? []);
    return [...new Set([...named, ...(isOwnHost ? (byHost.get(host) ?? []) : [])])];
  };
}
