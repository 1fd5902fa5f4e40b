import { assertComplete } from '../../src/integrations/integration-rules.ts';
import { createIntegrationBody } from '../../src/integrations/integrations.schema.ts';
import { builtInCatalog } from '../support/built-in-catalog.ts';

const catalog = builtInCatalog;

/** What is missing of an integration with these members, by path. */
function missingOf(serviceProvider: string, members: object): unknown {
  const provider = catalog.find(serviceProvider);
  if (provider === undefined) throw new Error(`no ${serviceProvider}`);
  try {
    assertComplete(provider, createIntegrationBody.parse({ serviceProvider, ...members }));
    return [];
  } catch (error) {
    return error instanceof Error && 'errors' in error && Array.isArray(error.errors)
      ? error.errors.map(({ path }) => path)
      : error;
  }
}

const CLIENT = { clientId: 'id', clientSecret: 'secret' };

describe('an integration', () => {
  it('needs scopes where the catalog knows scopes of the provider', () => {
    expect(missingOf('hubspot', CLIENT)).toEqual(['body.scopes']);
    expect(missingOf('hubspot', { ...CLIENT, scopes: [] })).toEqual([]);
  });

  it('needs none where the provider has none', () => {
    expect(missingOf('mailchimp', CLIENT)).toEqual([]);
    expect(missingOf('mailchimp', {})).toEqual(['body.clientId', 'body.clientSecret']);
  });

  it('needs no client where there is no authorization at the provider', () => {
    expect(missingOf('sendgrid', {})).toEqual([]);
  });
});
