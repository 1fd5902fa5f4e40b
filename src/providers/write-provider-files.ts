import { Document, isMap, isScalar, isSeq } from 'yaml';
import type { Provider } from '../catalog/schema/provider.schema.ts';
import type { Source } from '../catalog/schema/provider-standing.schema.ts';
import { isRecord } from '../lib/is-record.ts';
import type { ProviderRequests } from './custom-providers.schema.ts';

export const PROVIDER_FOLDER = 'src/catalog/providers';
export const TEST_FOLDER = 'test/catalog/contributed';
/** As a file of that folder names it. */
const SOURCE = '../../../src';

type Fields = Readonly<Record<string, unknown>>;

/** What every file begins with. */
const FIRST = ['id', 'name', 'category', 'auth', 'checked', 'sources'];

/** The description as a file of the catalog: with its sources, the day of the latest, and no label of its own. */
export function arrangeFile(description: Fields, sources: readonly Source[]): Fields {
  const { evidence: _label, sources: _others, checked: _day, ...rest } = description;
  const checked = sources
    .map(({ date }) => date)
    .toSorted()
    .at(-1);
  const all: Fields = { ...rest, category: rest.category ?? 'other', checked, sources };
  const names = [...FIRST, ...Object.keys(all).filter((name) => !FIRST.includes(name))];
  return Object.fromEntries(names.flatMap((name) => (all[name] === undefined ? [] : [[name, all[name]]])));
}

/** As YAML: each source in a line, and a blank one before the facts. */
export function writeFile(file: Fields): string {
  const document = new Document(file, { aliasDuplicateObjects: false });
  const sources = document.get('sources');
  if (isSeq(sources))
    for (const source of sources.items) {
      if (isMap(source)) source.flow = true;
    }
  const { contents } = document;
  const firstFact = isMap(contents)
    ? contents.items[FIRST.filter((name) => name in file).length]?.key
    : undefined;
  if (isScalar(firstFact)) firstFact.spaceBefore = true;
  return document.toString({ lineWidth: 0 });
}

/** A test of the repository: the file leads to the requests that its contributor has seen. */
export function writeTest({ id, name }: Provider, requests: ProviderRequests): string {
  return `import { join } from 'node:path';
import { loadProviderFile } from '${SOURCE}/catalog/loading/catalog.ts';
import { dryRun } from '${SOURCE}/dry-run/dry-run-provider.ts';

const FILE = join(import.meta.dirname, '../../../${PROVIDER_FOLDER}/${id}.yaml');

/** What the contributor saw in the dry run, and compared with the provider's documentation. */
const SEEN = ${writeLiteral(requests, '')};

it(${quote(`${name} is sent what its contributor has compared with its documentation`)}, async () => {
  const provider = loadProviderFile(FILE, { allowPrivateNetworks: false, isProofNeeded: true });
  const { requests } = await dryRun(provider, 'https://gateway.example');
  expect(requests).toEqual(SEEN);
});
`;
}

/** A value as the repository's formatter writes it. */
function writeLiteral(value: unknown, indent: string): string {
  const inner = `${indent}  `;
  if (typeof value === 'string') return quote(value);
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]';
    const items = value.map((one) => `${inner}${writeLiteral(one, inner)},\n`);
    return `[\n${items.join('')}${indent}]`;
  }
  if (!isRecord(value)) return String(value);
  const members = Object.entries(value);
  if (members.length === 0) return '{}';
  const lines = members.map(([name, one]) => writeMember(name, writeLiteral(one, inner), inner));
  return `{\n${lines.join('')}${indent}}`;
}

const LINE_LENGTH_MAX = 110;
/** After a shorter one a line of its own would win nothing. */
const SHORT_NAME = 5;

/** A text that is too long for the line of its name has one of its own. */
function writeMember(name: string, written: string, indent: string): string {
  const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : quote(name);
  const line = `${indent}${key}: ${written},\n`;
  const isLong = key.length >= SHORT_NAME && !written.includes('\n') && line.length - 1 > LINE_LENGTH_MAX;
  return isLong ? `${indent}${key}:\n${indent}  ${written},\n` : line;
}

/** In single quotes, unless the text has more of these than of the others. Nothing in it can end the literal. */
function quote(text: string): string {
  const json = JSON.stringify(text).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
  const singles = text.split("'").length;
  const doubles = text.split('"').length;
  if (singles > doubles) return json;
  return `'${json.slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}
