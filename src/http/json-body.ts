import { isStorableText, NOT_STORABLE } from '../lib/storable-text.ts';
import { HttpError } from './errors.ts';

/** Far deeper than any request of the API; keeps recursive code downstream away from the end of its stack. */
const DEPTH_MAX = 64;

/** Names in fault paths come from the caller: cut them, so that a reply stays short. */
const NAME_LENGTH_MAX = 64;

/** Fails on bytes that are not UTF-8 instead of replacing them (RFC 8259 section 8.1), and drops no BOM silently. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * The JSON value of a request body. Throws `unsupported_media_type` when it is not declared as JSON in UTF-8,
 * `invalid_json` when it is no JSON, `invalid_request` when it is nested too deeply, has a `__proto__` member, or holds
 * text that no store keeps.
 */
export function parseJsonBody(bytes: Uint8Array, contentType: string | undefined): unknown {
  if (!isJsonInUtf8(contentType)) throw new HttpError('unsupported_media_type');
  const value = decode(bytes);
  assertHarmless(value);
  return value;
}

/** `application/json` or `application/<something>+json`, in UTF-8 where a charset is named. */
function isJsonInUtf8(contentType: string | undefined): boolean {
  const [mediaType = '', ...parameters] = (contentType ?? '').toLowerCase().split(';');
  if (!/^application\/(?:[a-z0-9.!#$&^_-]+\+)?json$/.test(mediaType.trim())) return false;
  const charset = parameters.map((text) => text.trim()).find((text) => text.startsWith('charset='));
  return charset === undefined || /^charset="?utf-?8"?$/.test(charset);
}

function decode(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch {
    // The parser's own message quotes the body, which may hold a secret: no cause.
    throw new HttpError('invalid_json');
  }
}

/** Iterative, so that its own stack cannot be exhausted. A `__proto__` member would change objects merged with it. */
function assertHarmless(root: unknown): void {
  const open: [value: unknown, path: string, depth: number][] = [[root, 'body', 0]];
  for (let entry = open.pop(); entry; entry = open.pop()) {
    const [value, path, depth] = entry;
    if (typeof value === 'string') assertStorable(value, path);
    if (typeof value !== 'object' || value === null) continue;
    if (depth >= DEPTH_MAX)
      throw new HttpError('invalid_request', { detail: 'The body is nested too deeply.' });
    if (Object.hasOwn(value, '__proto__'))
      throw new HttpError('invalid_request', { detail: 'The body has a member named `__proto__`.' });
    for (const [name, member] of Object.entries(value)) {
      assertStorable(name, path);
      open.push([member, `${path}.${name.slice(0, NAME_LENGTH_MAX)}`, depth + 1]);
    }
  }
}

function assertStorable(text: string, path: string): void {
  if (isStorableText(text)) return;
  throw new HttpError('invalid_request', { errors: [{ path, message: NOT_STORABLE }] });
}
