import type { Provider } from '../../api/catalog.ts';

/** What was recognised in a pasted text. */
export type Pasted = {
  readonly clientId?: string;
  readonly clientSecret?: string;
  readonly webhookSecret?: string;
  readonly scopes?: readonly string[];
  readonly optionalScopes?: readonly string[];
  readonly variables?: Readonly<Record<string, string>>;
  /** Those that the provider's client lists; undefined where the text has none. */
  readonly redirectUrls?: readonly string[];
};

type Pair = readonly [key: string, value: unknown];
type Field = Exclude<keyof Pasted, 'variables'>;

/** Endings of keys, without case and punctuation, the first that fits wins. */
const FIELDS: readonly (readonly [Field, RegExp])[] = [
  ['webhookSecret', /(?:webhook(?:signing)?secret|signingsecret|webhookkey)$/],
  [
    'clientSecret',
    /(?:clientsecret(?:value)?|appsecret|consumersecret|oauthsecret|secretkey|applicationsecret|secretvalue)$/,
  ],
  ['clientId', /(?:clientid|appid|applicationid|consumerkey|appkey|oauthid|integrationkey)$/],
  ['redirectUrls', /(?:redirecturis?|redirecturls?|callbackurls?)$/],
  ['optionalScopes', /optionalscopes?$/],
  ['scopes', /(?:requiredscopes?|scopes?|permissions)$/],
];
const TEXT_LENGTH_MAX = 200_000;

/** Reads client, scopes and variables out of a provider's JSON, `.env` lines or "Client ID: …" lines. Never throws. */
export function parsePasted(text: string, provider: Pick<Provider, 'variables'>): Pasted {
  const found: Record<string, unknown> = {};
  const variables: Record<string, string> = {};
  for (const [key, value] of readPairs(text.slice(0, TEXT_LENGTH_MAX))) {
    const plain = plainOf(key);
    const field = FIELDS.find(([, ending]) => ending.test(plain))?.[0];
    if (field !== undefined) found[field] ??= field.endsWith('s') ? listOf(value) : textOf(value);
    const variable = provider.variables.find(({ name }) => plain.endsWith(plainOf(name)));
    const given = textOf(value);
    if (field === undefined && variable !== undefined && given !== undefined)
      variables[variable.name] ??= given;
  }
  const filled = Object.entries(found).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(filled), ...(Object.keys(variables).length > 0 && { variables }) };
}

function readPairs(text: string): Pair[] {
  try {
    return [...flatten(JSON.parse(text), [], 0)];
  } catch {
    return readLines(text);
  }
}

/** Every leaf and every list of a JSON value, with the name it stands under. A client of Google lies below `web`. */
function* flatten(value: unknown, path: readonly string[], depth: number): Generator<Pair> {
  const key = path.at(-1) ?? '';
  if (Array.isArray(value) || typeof value !== 'object' || value === null) {
    yield [path.slice(-2).join(''), value];
    if (path.length > 1) yield [key, value];
    return;
  }
  if (depth > 6) return;
  for (const [name, inner] of Object.entries(value)) yield* flatten(inner, [...path, name], depth + 1);
}

const NAME = /^[A-Za-z][\w .-]{0,80}$/;

function readLines(text: string): Pair[] {
  const lines = text.split('\n').map((line) => line.trim());
  return lines.flatMap((line, index): Pair[] => {
    const at = line.search(/[=:]/);
    const name = unquote((at === -1 ? line : line.slice(0, at)).trim().replace(/^export /, ''));
    if (!NAME.test(name)) return [];
    const value = at === -1 ? '' : line.slice(at + 1).trim();
    if (value !== '') return [[name, unquote(value.endsWith(',') ? value.slice(0, -1) : value)]];
    // A page's text has a label on one line and its value on the next.
    const next = lines[index + 1] ?? '';
    return next === '' || next.includes(' ') ? [] : [[name, next]];
  });
}

function unquote(value: string): string {
  const [quote = ''] = value;
  const isQuoted = /["']/.test(quote) && value.length > 1 && value.endsWith(quote);
  return isQuoted ? value.slice(1, -1) : value;
}

function plainOf(key: string): string {
  return key.toLowerCase().replace(/[^a-z0-9]/g, '');
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

function listOf(value: unknown): string[] | undefined {
  const items = Array.isArray(value) ? value.map(textOf) : splitScopes(textOf(value) ?? '');
  const present = items.filter((item) => item !== undefined);
  return present.length === 0 ? undefined : present;
}

/** Scopes as people paste them: with blanks, commas, quotes or line ends between. */
export function splitScopes(text: string): string[] {
  return text.split(/[\s,;"'[\]]+/).filter((scope) => scope !== '');
}
