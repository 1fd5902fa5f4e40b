import { HttpError } from './errors.ts';

/** The owner has as many of something as they may; `detail` names what, and how many. */
export function limitReached(detail: string): HttpError {
  return new HttpError('limit_reached', { detail });
}
