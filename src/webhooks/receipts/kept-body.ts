import { parsePath } from '../../lib/json-path.ts';
import { readContentType } from '../message/read-message.ts';
import type { WebhookDescription, WebhookRequest } from '../message/webhook.ts';
import { listSecretPlaces } from './secret-places.ts';

const LEFT_OUT = '(left out)';

type Described = Pick<WebhookDescription, 'signature' | 'handshake' | 'payload'>;

/** `isVerified`: the secret in the webhook is one of `secrets`; what else has its name is the provider's data. */
type Judged = { readonly secrets: readonly string[]; readonly isVerified: boolean };

type Hides = (value: string) => boolean;

/**
 * The body as it may be stored and shown: the values at the places where the description has a secret are left out, every
 * other byte is the provider's. Takes time in proportion to the body, and parses none of it. A webhook that was refused
 * may have the right secret all the same (an unreadable body, a secret that is entered later): there the names alone
 * decide.
 */
export function keepBody(request: WebhookRequest, description: Described, judged: Judged): Buffer {
  const { signature, payload } = description;
  const { body } = request;
  if ('at' in signature && signature.at === 'body') return withoutSignature(body);
  const names = [...new Set(listSecretPlaces(description).flatMap(nameInBody))];
  if (names.length === 0) return body;
  const hides = createHides(description, judged);
  // One character for each byte, so that what is no UTF-8 stays as it came.
  const text = body.toString('latin1');
  const isForm =
    readContentType(request) === 'application/x-www-form-urlencoded' || payload.format === 'form';
  const kept = isForm ? hideFields(text, names, payload.field, hides) : hideMembers(text, names, hides);
  const isToken = signature.scheme === 'token' && judged.isVerified;
  const whole = isToken && !isForm ? hideTexts(kept, judged.secrets) : kept;
  return whole === text ? body : Buffer.from(whole, 'latin1');
}

function nameInBody({ kind, name }: { readonly kind: string; readonly name: string }): string[] {
  if (kind === 'form') return [name];
  if (kind !== 'body') return [];
  const last = parsePath(name).findLast((step) => typeof step === 'object');
  return last === undefined || typeof last !== 'object' ? [] : [last.name];
}

function createHides({ signature }: Described, { secrets, isVerified }: Judged): Hides {
  if (!isVerified || signature.scheme !== 'token') return () => true;
  const known = new Set(secrets.map((secret) => `${signature.prefix ?? ''}${secret}`));
  return (value) => known.has(value);
}

/** A token without its third part proves nothing, and its claims are there to be read. */
function withoutSignature(body: Buffer): Buffer {
  const first = body.indexOf('.');
  const second = first < 0 ? -1 : body.indexOf('.', first + 1);
  return second < 0
    ? Buffer.from(LEFT_OUT)
    : Buffer.concat([body.subarray(0, second + 1), Buffer.from(LEFT_OUT)]);
}

function hideFields(
  text: string,
  names: readonly string[],
  jsonField: string | undefined,
  hides: Hides,
): string {
  const pairs = text.split('&').map((pair) => {
    const [[name, value] = ['', '']] = new URLSearchParams(pair);
    const plain = names.includes(name) && hides(value) ? LEFT_OUT : value;
    const kept = name === jsonField ? hideMembers(plain, names, hides) : plain;
    return kept === value ? pair : `${encodeURIComponent(name)}=${encodeURIComponent(kept)}`;
  });
  return pairs.join('&');
}

function hideMembers(text: string, names: readonly string[], hides: Hides): string {
  return names.reduce((kept, name) => hideMember(kept, toLatin1(JSON.stringify(name)), hides), text);
}

/** Replaces the scalar after each `"name":` that is to be hidden, also where the text ends within it. */
function hideMember(text: string, key: string, hides: Hides): string {
  const pieces: string[] = [];
  let done = 0;
  for (let at = text.indexOf(key); at >= 0; at = text.indexOf(key, at + key.length)) {
    const colon = skipBlanks(text, at + key.length);
    if (text[colon] !== ':') continue;
    const start = skipBlanks(text, colon + 1);
    const end = endOfScalar(text, start);
    if (start < done || end === start || !hides(readScalar(text.slice(start, end)))) continue;
    pieces.push(text.slice(done, start), JSON.stringify(LEFT_OUT));
    done = end;
  }
  return pieces.length === 0 ? text : [...pieces, text.slice(done)].join('');
}

function skipBlanks(text: string, from: number): number {
  let at = from;
  while (text[at] === ' ' || text[at] === '\n' || text[at] === '\r' || text[at] === '\t') at += 1;
  return at;
}

/** The end of the text or number that begins here; `start` itself where neither does. */
function endOfScalar(text: string, start: number): number {
  let at = start;
  if (text[at] !== '"') {
    while (at < text.length && /[-+.\w]/.test(text[at] ?? '')) at += 1;
    return at;
  }
  at += 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return Math.min(at + 1, text.length);
}

/** The value that a reader of the JSON would have. */
function readScalar(source: string): string {
  const text = Buffer.from(source, 'latin1').toString();
  try {
    return String(JSON.parse(text));
  } catch {
    return text;
  }
}

/** The secret wherever it is a whole text: a list of secrets has no name in front of each. */
function hideTexts(text: string, secrets: readonly string[]): string {
  return secrets.reduce(
    (kept, secret) => kept.replaceAll(toLatin1(JSON.stringify(secret)), JSON.stringify(LEFT_OUT)),
    text,
  );
}

function toLatin1(text: string): string {
  return Buffer.from(text).toString('latin1');
}
