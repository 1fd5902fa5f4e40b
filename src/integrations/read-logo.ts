import { createHash } from 'node:crypto';
import { HttpError } from '../http/errors.ts';
import type { StoredLogo } from './integration-logos.store.ts';
import { LOGO_BYTES_MAX, LOGO_PIXELS_MAX } from './integrations.schema.ts';
import { readPicture } from './read-picture.ts';

const HASH_LENGTH = 22;

/** The picture that a request brings. Throws `logo_invalid` for what is none, or is too large. */
export function readLogo(base64: string): StoredLogo {
  const content = Buffer.from(base64, 'base64');
  const picture = readPicture(content);
  if (content.length > LOGO_BYTES_MAX || picture === undefined) throw new HttpError('logo_invalid');
  const { width, height, mediaType } = picture;
  if (Math.min(width, height) < 1 || Math.max(width, height) > LOGO_PIXELS_MAX) {
    throw new HttpError('logo_invalid', { detail: `The picture is ${width} by ${height} pixels.` });
  }
  const hash = createHash('sha256').update(content).digest('base64url').slice(0, HASH_LENGTH);
  return { hash, mediaType, content };
}
