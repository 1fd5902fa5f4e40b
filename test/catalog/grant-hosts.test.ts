import type { Provider } from '../../src/catalog/schema/provider.schema.ts';
import { withGrant } from '../../src/catalog/schema/provider-auth-methods.ts';
import { builtInCatalog } from '../support/built-in-catalog.ts';

/** What the gateway itself asks at the API with a connection's credential. */
function listOwnCalls({ account, probe, tenants }: Provider): Record<string, string | undefined> {
  return { account: account?.request?.url, probe: probe?.url, tenants: tenants?.request.url };
}

/** Scheme and host of a template, which may hold variables. */
function originOf(template: string | undefined): string | undefined {
  return template === undefined ? undefined : /^https?:\/\/[^/?#]+/.exec(template)?.[0];
}

const grants = [...builtInCatalog.list()].flatMap((entry) =>
  entry.grants.flatMap(({ id }) => {
    const grant = withGrant(entry, id);
    return grant === undefined ? [] : [{ name: `${entry.id}/${id}`, entry, grant }];
  }),
);

it('a grant with an API of its own, such as a sandbox, asks nothing at the entry’s API', () => {
  const elsewhere = grants.filter(
    ({ entry, grant }) => originOf(entry.apiBaseUrl) !== originOf(grant.apiBaseUrl),
  );
  expect(elsewhere.length).toBeGreaterThan(20);
  const astray = elsewhere.flatMap(({ name, entry, grant }) =>
    Object.entries(listOwnCalls(grant))
      .filter(([, url]) => url !== undefined && originOf(url) === originOf(entry.apiBaseUrl))
      .map(([what, url]) => `${name}: ${what} at ${url}`),
  );
  expect(astray).toEqual([]);
});
