import type { Provider } from '../catalog/schema/provider.schema.ts';
import { listAuthMethodIds, withGrant } from '../catalog/schema/provider-auth-methods.ts';
import { isRecord } from '../lib/is-record.ts';
import type { GrantUse } from './custom-providers.store.ts';

/** A provider as it is stored: its description, and what that is as a provider where it still is a valid one. */
export type Described = {
  readonly description: Readonly<Record<string, unknown>>;
  readonly provider: Provider | undefined;
};

/** A field of the description that integrations hold on to, with what its change would do to them. */
type BrokenUse = { readonly path: string; readonly message: string };

/**
 * What a change of a project's own provider would break in the integrations that use it: a grant taken away, another
 * kind of authorization, and variables that become secret or public, whose stored values would stay where they are (in
 * plain, or sealed where nothing finds them).
 */
export function findBrokenUses(before: Described, after: Provider, uses: readonly GrantUse[]): BrokenUse[] {
  return uses.flatMap(({ grant, count }) => {
    const users = `${count} ${count === 1 ? 'integration' : 'integrations'}`;
    const path = grant === null ? 'body.auth' : 'body.grants';
    const next = withGrant(after, grant);
    if (next === undefined) {
      const left = listAuthMethodIds(after).join(', ');
      return [{ path, message: `${users} would lose the grant "${grant}"; the grants left are ${left}` }];
    }
    const auth = authBefore(before, grant);
    if (auth !== undefined && auth !== next.auth) {
      return [{ path, message: `${users} would authorize by ${next.auth} in place of ${auth}` }];
    }
    return movedSecrets(before, grant, next).map((name) => ({
      path: `body.variables.${name}`,
      message: `${users} may have a value of it, which cannot become secret or public`,
    }));
  });
}

function authBefore({ description, provider }: Described, grant: string | null): unknown {
  if (grant === null) return description.auth ?? provider?.auth;
  return provider && withGrant(provider, grant)?.auth;
}

/** Names of the variables that were secret and are not, or the other way round. */
function movedSecrets(before: Described, grant: string | null, { variables }: Provider): string[] {
  const wasSecret = secretsBefore(before, grant);
  return variables
    .filter(({ name, secret }) => wasSecret.has(name) && wasSecret.get(name) !== secret)
    .map(({ name }) => name);
}

/** By name, whether a variable was secret. What is written stands in for a description that is no longer valid. */
function secretsBefore({ description, provider }: Described, grant: string | null): Map<string, boolean> {
  const known = provider && withGrant(provider, grant);
  if (known !== undefined) return new Map(known.variables.map(({ name, secret }) => [name, secret]));
  const written = isRecord(description.variables) ? Object.entries(description.variables) : [];
  return new Map(written.map(([name, given]) => [name, isRecord(given) && given.secret === true]));
}
