import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { ERROR_CODES, ERRORS, type ErrorCode, publicCode } from '../../src/http/error-codes.ts';
import { explainIssue } from '../../src/lib/explain-issue.ts';
import { createFaultWords, type FaultTexts } from '../../src/web/dashboard/src/texts/word-fault.ts';
import { problemFiles, TRANSLATED } from '../support/dashboard-texts.ts';

const ROOT = join(import.meta.dirname, '../..');
/** Its texts are the ones that are compared. */
const DASHBOARD = join(ROOT, 'src/web/dashboard/');

type Operation = {
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  readonly responses?: Readonly<Record<string, { readonly description?: string }>>;
};

/** Entries of the API's table that neither a page is answered with nor a call that a page shows. */
const ELSEWHERE: ReadonlySet<string> = new Set<ErrorCode>([
  // Parts of HTTP that no browser gets wrong, and probes.
  'method_not_allowed',
  'headers_too_large',
  'http_version_not_supported',
  'not_ready',
  // Pages that end users see, which have words of their own.
  'invalid_callback',
  'invalid_state',
  'flow_binding_failed',
  'access_denied',
  'tenant_missing',
  'missing_scopes',
  'provider_error',
  // Agents, and their signing in.
  'connection_needed',
  'connection_declined',
  'approval_declined',
  'answer_too_large',
  'answer_changed',
  'agent_sign_in_invalid',
  'agent_sign_in_unbound',
  'agent_sign_in_unavailable',
  'agent_sign_in_provider_unavailable',
  'agent_sign_in_provider_failed',
  'agent_sign_in_client_refused',
  'agent_sign_in_user_unknown',
  'agent_registration_off',
  'agent_registration_full',
  // Webhooks that providers send.
  'signature_invalid',
  'webhook_malformed',
  'webhook_address_not_found',
  'project_storage_full',
]);

/** The entries of the API's table with which operations answer that a session of an operator, or nobody, calls. */
function listSeenCodes(): ErrorCode[] {
  const { paths } = JSON.parse(readFileSync(join(ROOT, 'docs/openapi.json'), 'utf8'));
  const operations = Object.values<Readonly<Record<string, Operation>>>(paths).flatMap((path) =>
    Object.values(path),
  );
  const ofPages = operations.filter(
    ({ security = [] }) => security.length === 0 || security.some((way) => 'operatorSession' in way),
  );
  const codes = new Set(
    ofPages.flatMap(({ responses = {} }) =>
      Object.values(responses).flatMap(({ description = '' }) =>
        [...description.matchAll(/^`(\w+)`:/gm)].map(([, code]) => code),
      ),
    ),
  );
  return ERROR_CODES.filter((name) => codes.has(publicCode(name)));
}

/** The sources of the gateway, where messages are written. */
const SOURCES = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => join(ROOT, 'src', path))
  .filter((path) => !path.startsWith(DASHBOARD))
  .map((path) => readFileSync(path, 'utf8'))
  .join('\n');

/** Put together of two texts in the gateway's code. */
const COMPOSED = 'Not a known name here. Did you mean `{name}`?';

/** Whether the gateway's code has a message, of which a part may be put in. */
function isWritten(message: string): boolean {
  const parts = message
    .replaceAll('`', '\\`')
    .split(/\{\w+\}/)
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\/-]/g, '\\$&').replaceAll('\\\\`', '\\\\?`'));
  return new RegExp(`['\`]${parts.join('(?:\\$\\{[^\\n]+?\\}|\\d+)')}['\`$]`).test(SOURCES);
}

const some = (length: number) => Array.from({ length }, (_, index) => `option ${index}`);
const LONG = 'long enough';
/** A value that each kind of schema refuses. */
const REFUSED: readonly [z.ZodType, unknown][] = [
  [z.string(), 1],
  [z.number(), 'x'],
  [z.int(), 'x'],
  [z.int(), 1.5],
  [z.boolean(), 1],
  [z.object({}), 1],
  [z.array(z.string()), 1],
  [z.date(), 1],
  [z.null(), 1],
  [z.symbol(), 1],
  [z.email(), 'x'],
  [z.url(), 'x'],
  [z.uuid(), 'x'],
  [z.iso.datetime(), 'x'],
  [z.iso.date(), 'x'],
  [z.ipv4(), 'x'],
  [z.ipv6(), 'x'],
  [z.cidrv4(), 'x'],
  [z.cidrv6(), 'x'],
  [z.base64(), '-'],
  [z.base64url(), '+'],
  [z.jwt(), 'x'],
  [z.string().regex(/^y$/), 'x'],
  [z.enum(some(20)), 'x'],
  [z.enum(['one', 'two']), 'x'],
  [z.string().min(1), ''],
  [z.string().min(12), 'x'],
  [z.string().max(1), LONG],
  [z.string().max(5), LONG],
  [z.array(z.string()).min(1), []],
  [z.array(z.string()).min(2), []],
  [z.array(z.string()).max(1), some(3)],
  [z.array(z.string()).max(2), some(3)],
  [z.number().min(5), 1],
  [z.number().max(5), 10],
  [z.number().gt(5), 1],
  [z.number().lt(5), 10],
  [z.number().multipleOf(5), 3],
  [z.record(z.string().regex(/^y$/), z.string()), { x: 'x' }],
  [z.union([z.string(), z.array(z.string())]), 1],
  [z.string().describe('What it is for (in short).'), undefined],
  [z.string(), undefined],
];

const messageFor = ([schema, value]: readonly [z.ZodType, unknown]): string =>
  schema.safeParse(value, { error: explainIssue }).error?.issues[0]?.message ?? '';
const placesIn = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([place]) => place);

const readMessages = (language: string): FaultTexts => problemFiles(language).messages;

it('no operation that pages call answers with a code that counts as never shown', () => {
  expect(listSeenCodes().length).toBeGreaterThan(90);
  expect(listSeenCodes().filter((name) => ELSEWHERE.has(name))).toEqual([]);
});

describe.each(TRANSLATED)('problems in %s', (language) => {
  const { messages, ...files } = problemFiles(language);
  const words = Object.values(files).flatMap((file) => Object.entries<readonly string[]>(file));
  const all = { ...messages.messages, ...messages.wanted } as Readonly<Record<string, string>>;

  it('have every code that a page may be answered with or shows of a call, once, and no other', () => {
    const shown = ERROR_CODES.filter((name) => !ELSEWHERE.has(name));
    expect(words.map(([name]) => name).sort()).toEqual(shown.toSorted());
  });

  it('have title, meaning and remedy, none of them in English or about requests of the API', () => {
    for (const [name, texts] of words) {
      const { title, meaning, remedy } = ERRORS[name as ErrorCode];
      expect([name, texts.length, texts.every((text) => text.trim() !== '')]).toEqual([name, 3, true]);
      expect([name, texts.filter((text) => [title, meaning, remedy].includes(text))]).toEqual([name, []]);
      expect([name, texts.join(' ')]).toEqual([name, expect.not.stringMatching(/\/v1\/|`(GET|POST|PATCH)/)]);
    }
  });

  it('have no message that the gateway does not write', () => {
    const known = Object.keys(messages.messages).filter((message) => !message.includes('{wanted}'));
    expect(known.length).toBeGreaterThan(50);
    expect(known.filter((message) => !isWritten(message))).toEqual([COMPOSED]);
  });

  it('have every message about the kind of a value, and no kind that is never named', () => {
    const { wanted, ...rest } = readMessages(language);
    const sent = REFUSED.map(messageFor);
    const word = createFaultWords({ wanted, ...rest });
    expect(sent.filter((message) => word(message) === undefined)).toEqual([]);
    const isNeeded = (kind: string) => {
      const { [kind]: _, ...others } = wanted;
      const withoutIt = createFaultWords({ ...rest, wanted: others });
      return sent.some((message) => withoutIt(message) !== word(message));
    };
    expect(Object.keys(wanted).filter((kind) => !isNeeded(kind))).toEqual([]);
  });

  it('put only values into messages that the English ones have', () => {
    const wrong = Object.entries(all).filter(([english, text]) =>
      placesIn(text).some((place) => !placesIn(english).includes(place)),
    );
    expect(wrong).toEqual([]);
  });

  it('have the messages of the other languages', () => {
    const keysOf = ({ messages: whole, wanted }: FaultTexts) => [
      ...Object.keys(whole),
      ...Object.keys(wanted),
    ];
    for (const other of TRANSLATED)
      expect(keysOf(readMessages(language))).toEqual(keysOf(readMessages(other)));
  });
});

describe('a message of the API in German', () => {
  const word = createFaultWords(readMessages('de'));

  it('keeps its numbers and names', () => {
    expect(word('must be a text of at most 2000 characters')).toBe(
      'Erwartet wird: ein Text mit höchstens 2000 Zeichen',
    );
    expect(word('Not a known name here. Did you mean `scopes`?')).toBe(
      'Dieser Name ist hier unbekannt. Ist `scopes` gemeint?',
    );
    expect(word('must be one of a, b')).toBe('Erwartet wird: eines von a, b');
  });

  it('names each of several kinds, and leaves out in English what the member is for', () => {
    expect(word('must be a text, or a list')).toBe('Erwartet wird: ein Text oder eine Liste');
    expect(word('is missing: a text (What it is for (in short).)')).toBe('Fehlt: ein Text');
  });

  it('stays unknown where one part of it is', () => {
    expect(word('the integration sets it, for all of its connections')).toBeUndefined();
    expect(word('must be something new')).toBeUndefined();
    expect(word('must be a text, or something new')).toBeUndefined();
  });
});
