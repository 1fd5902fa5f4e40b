import { type Entry, METHODS, type Method } from './mandate.ts';

/** An entry as its fields hold it. */
export type EntryValues = {
  /** Tells the entries of a form apart while some are added and removed. */
  readonly key: number;
  readonly provider: string;
  readonly access: Entry['access'];
  readonly methods: readonly Method[];
  /** One in a line. */
  readonly paths: string;
  readonly approval: Entry['approval'];
  readonly perHour: string;
  /** Separated by commas. */
  readonly hosts: string;
  readonly connectionId: string;
};

export type MandateValues = { readonly name: string; readonly entries: readonly EntryValues[] };

export function emptyEntry(key: number, provider: string): EntryValues {
  const plain = {
    methods: [],
    paths: '',
    approval: 'none',
    perHour: '',
    hosts: '',
    connectionId: '',
  } as const;
  return { key, provider, access: 'read', ...plain };
}

export function toValues(entry: Entry, key: number): EntryValues {
  return {
    ...{ key, provider: entry.provider, access: entry.access, approval: entry.approval },
    methods: entry.methods ?? [],
    paths: (entry.paths ?? []).join('\n'),
    perHour: entry.perHour === undefined ? '' : String(entry.perHour),
    hosts: (entry.hosts ?? []).join(', '),
    connectionId: entry.connectionId ?? '',
  };
}

/** What the API takes: an empty field limits nothing. */
export function toEntry(values: EntryValues): Entry {
  const { provider, access, approval, connectionId } = values;
  const paths = splitWords(values.paths, /\s+/);
  const hosts = splitWords(values.hosts, /[\s,]+/);
  const methods = METHODS.filter((method) => values.methods.includes(method));
  const perHour = values.perHour.trim();
  return {
    ...{ type: 'gateway_access', provider, access, approval },
    ...(methods.length > 0 && { methods }),
    ...(paths.length > 0 && { paths }),
    ...(hosts.length > 0 && { hosts }),
    ...(connectionId.trim() !== '' && { connectionId: connectionId.trim() }),
    ...(perHour !== '' && { perHour: Number(perHour) }),
  };
}

function splitWords(text: string, between: RegExp): string[] {
  return text.split(between).filter(Boolean);
}

/** Empty, or as many calls as the API lets an entry allow. */
export function isPerHour(text: string): boolean {
  return /^\s*$/.test(text) || (/^\s*[1-9]\d*\s*$/.test(text) && Number(text) <= 1_000_000);
}
