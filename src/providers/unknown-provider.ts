import { HttpError } from '../http/errors.ts';
import { findClosestName } from '../lib/closest-name.ts';

/** The refusal of an id that no provider has, with the one that was probably meant. */
export function unknownProviderError(id: string, known: Iterable<string>): HttpError {
  const meant = findClosestName(id, known);
  if (meant === undefined) return new HttpError('provider_unknown');
  const detail = `The catalog has no provider of this name. Did you mean \`${meant}\`?`;
  return new HttpError('provider_unknown', { detail });
}
