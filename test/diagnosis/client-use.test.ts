import type { Provider } from '../../src/catalog/schema/provider.schema.ts';
import { listAuthMethods } from '../../src/catalog/schema/provider-auth-methods.ts';
import { hasClient } from '../../src/diagnosis/client-diagnosis.ts';
import { contextFor } from '../../src/diagnosis/integration-context.ts';
import { judgeWithoutClient } from '../../src/diagnosis/judge-client.ts';
import { acmeIntegration } from '../support/acme-provider.ts';
import { builtInCatalog } from '../support/built-in-catalog.ts';

const all = builtInCatalog.list().flatMap((entry) => listAuthMethods(entry));
const unprobed = all.filter((provider) => !hasClient(provider));
const find = (id: string, grant: string | null = null): Provider => {
  const found = all.find((provider) => provider.id === id && provider.grant === grant);
  if (found === undefined) throw new Error(`no ${id} ${grant}`);
  return found;
};
const named = (name: string) => (provider: Provider) =>
  JSON.stringify([
    provider.jwt,
    provider.login,
    provider.logout,
    provider.apiHeaders,
    provider.apiQuery,
  ]).includes(`{${name}}`);

describe('an integration whose client no request can ask about', () => {
  it.each([
    ['github', 'app', 'client_unprovable'],
    ['netsuite', 'token', 'client_unprovable'],
    ['github', 'personal-access-token', 'client_not_needed'],
    ['aws-s3', null, 'client_not_needed'],
  ])('of %s by %s is told: %s', (id, grant, code) => {
    expect(judgeWithoutClient(find(id, grant)).code).toBe(code);
  });

  it('is never said to need no client where one of its templates names it', () => {
    const naming = unprobed.filter(
      (provider) => named('clientId')(provider) || named('clientSecret')(provider),
    );
    expect(naming.length).toBeGreaterThan(1);
    expect(naming.filter((provider) => judgeWithoutClient(provider).code === 'client_not_needed')).toEqual(
      [],
    );
  });

  it('is never said to need no client where its calls are signed as OAuth 1.0a', () => {
    const signed = unprobed.filter(({ auth }) => auth === 'oauth1');
    expect(signed.filter((provider) => judgeWithoutClient(provider).code !== 'client_unprovable')).toEqual(
      [],
    );
  });
});

describe('what the diagnosis knows of a way to authenticate', () => {
  const contextOf = (provider: Provider) => contextFor(provider, acmeIntegration(), 'https://gw.test');

  it('is the variable whose key signs for a GitHub App', () => {
    expect(contextOf(find('github', 'app')).keyVariable).toMatch(/\(privateKey\)$/);
    expect(contextOf(find('github')).keyVariable).toBeUndefined();
  });

  it('is whether scopes can be asked for: not by Salesforce’s JWT flow, but by Google’s', () => {
    expect(contextOf(find('salesforce', 'jwt-bearer-flow')).asksScopes).toBe(false);
    expect(contextOf(find('google', 'service-account')).asksScopes).toBe(true);
    expect(contextOf(find('salesforce')).asksScopes).toBe(true);
  });
});
