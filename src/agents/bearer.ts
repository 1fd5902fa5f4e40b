import { HttpError } from '../http/errors.ts';

const NAME = 'authorization';

/** RFC 6750 section 2.1; schemes are case-insensitive (RFC 9110 section 11.1). */
const BEARER = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i;

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
  const bearer = BEARER.exec(value.trim())?.[1];
  if (bearer === undefined) throw new HttpError('token_invalid');
  return bearer;
}
