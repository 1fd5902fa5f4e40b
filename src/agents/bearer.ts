import { HttpError } from '../http/errors.ts';

const NAME = 'authorization';

/** RFC 6750 section 2.1; schemes are case-insensitive (RFC 9110 section 11.1). */
const SCHEME = /^bearer +/i;
const TOKEN = /^[A-Za-z0-9._~+/-]+=*$/;

/** The one bearer token of a request. Throws `token_missing`, and `token_invalid` where it is not one, or not alone. */
export function readBearer(rawHeaders: readonly string[]): string {
  let value: string | undefined;
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (name.length !== NAME.length || name.toLowerCase() !== NAME) continue;
    if (value !== undefined) throw new HttpError('token_invalid');
    value = rawHeaders[index + 1] ?? '';
  }
  if (value === undefined) throw new HttpError('token_missing');
  const token = readToken(value.trim());
  if (token === undefined) throw new HttpError('token_invalid');
  return token;
}

/** By tests instead of one match, whose parts V8 would copy into a list. */
function readToken(value: string): string | undefined {
  if (!SCHEME.test(value)) return undefined;
  let start = value.indexOf(' ');
  while (value.charAt(start) === ' ') start += 1;
  const token = value.slice(start);
  return TOKEN.test(token) ? token : undefined;
}
