import type { Provider } from '../catalog/schema/provider.schema.ts';
import { listAuthMethodIds, withGrant } from '../catalog/schema/provider-auth-methods.ts';
import { HttpError } from '../http/errors.ts';
import { findClosestName } from '../lib/closest-name.ts';

/**
 * The provider as it is for the grant that a request names; as it is by itself where none is named. Throws
 * `grant_unknown` with those that there are.
 */
export function chooseGrant(entry: Provider, asked: string | null | undefined): Provider {
  const found = withGrant(entry, asked ?? null);
  if (found !== undefined) return found;
  const known = listAuthMethodIds(entry);
  const meant = findClosestName(asked ?? '', known);
  const hint = meant === undefined ? '' : ` Did you mean \`${meant}\`?`;
  throw new HttpError('grant_unknown', {
    detail: `${entry.name} has no grant of this name, but ${known.map((id) => `\`${id}\``).join(', ')}.${hint}`,
    errors: [{ path: 'body.grant', message: `one of: ${known.join(', ')}` }],
    extra: { grants: known },
  });
}
