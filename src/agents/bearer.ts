import { HttpError } from '../http/errors.ts';

/** RFC 6750 section 2.1; schemes are case-insensitive (RFC 9110 section 11.1). */
const BEARER = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i;

/** The one bearer token of a request. Throws `token_missing`, and `token_invalid` where it is not one, or not alone. */
export function readBearer(rawHeaders: readonly string[]): string {
  const values = rawHeaders.filter(
    (_value, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === 'authorization',
  );
  const [value, ...others] = values;
  if (value === undefined) throw new HttpError('token_missing');
  const bearer = BEARER.exec(value.trim())?.[1];
  if (bearer === undefined || others.length > 0) throw new HttpError('token_invalid');
  return bearer;
}
