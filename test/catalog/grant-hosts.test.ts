import type { Provider } from '../../src/catalog/schema/provider.schema.ts';
import { builtInCatalog } from '../support/built-in-catalog.ts';
import { everyGrant } from '../support/every-grant.ts';

/** What the gateway itself asks at the API with a connection's credential. */
function listOwnCalls({ account, probe, tenants }: Provider): Record<string, string | undefined> {
  return { account: account?.request?.url, probe: probe?.url, tenants: tenants?.request.url };
}

/** Scheme and host of a template, which may hold variables. */
function originOf(template: string | undefined): string | undefined {
  return template === undefined ? undefined : /^https?:\/\/[^/?#]+/.exec(template)?.[0];
}

it('a grant with an API of its own, such as a sandbox, asks nothing at the entry’s API', () => {
  const elsewhere = everyGrant(builtInCatalog)
    .map(([name, grant]) => ({ name, grant, usual: originOf(builtInCatalog.find(grant.id)?.apiBaseUrl) }))
    .filter(({ grant, usual }) => originOf(grant.apiBaseUrl) !== usual);
  expect(elsewhere.length).toBeGreaterThan(20);
  const astray = elsewhere.flatMap(({ name, grant, usual }) =>
    Object.entries(listOwnCalls(grant))
      .filter(([, url]) => url !== undefined && originOf(url) === usual)
      .map(([what, url]) => `${name}: ${what} at ${url}`),
  );
  expect(astray).toEqual([]);
});
