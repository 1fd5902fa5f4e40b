import { createHash } from 'node:crypto';
import type { Provider } from '../schema/provider.schema.ts';

type Declaring = Pick<Provider, 'variables'>;

/** True where the provider wants an id from the gateway by which an account tells whom it lets in. */
export function hasExternalId({ variables }: Declaring): boolean {
  return variables.some(({ from }) => from === 'external-id');
}

/**
 * The id that an account of the user’s expects (AWS: external id), by the variable's name: the same for each
 * of a user's connections, another for each other user and project, and chosen by no user. It is no secret; what counts is
 * that no other user's requests carry it.
 */
export function makeExternalIds(
  { variables }: Declaring,
  user: { readonly projectId: string; readonly endUserId: string },
): Record<string, string> {
  const named = variables.filter(({ from }) => from === 'external-id');
  if (named.length === 0) return {};
  const of = `external-id\n${user.projectId}\n${user.endUserId}`;
  const id = createHash('sha256').update(of).digest('hex').slice(0, 40);
  return Object.fromEntries(named.map(({ name }) => [name, id]));
}
