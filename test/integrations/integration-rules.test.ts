import {
  assertCompatibleVariables,
  assertComplete,
  assertRequiredVariables,
  assertStillThere,
  assertVariables,
  assertWebhookScheme,
  tidyFiles,
} from '../../src/integrations/integration-rules.ts';
import { createIntegrationBody } from '../../src/integrations/integrations.schema.ts';
import { acmeProvider } from '../support/acme-provider.ts';
import { builtInCatalog } from '../support/built-in-catalog.ts';
import { TENANT_A } from '../support/client-certificates.ts';

const catalog = builtInCatalog;

/** What is missing of an integration with these members, by path. */
function missingOf(serviceProvider: string, members: object): unknown {
  const provider = catalog.find(serviceProvider);
  if (provider === undefined) throw new Error(`no ${serviceProvider}`);
  return pathsOf(() =>
    assertComplete(provider, createIntegrationBody.parse({ serviceProvider, ...members })),
  );
}

/** The paths of what is refused; empty where nothing is. */
function pathsOf(judge: () => void): unknown {
  try {
    judge();
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

describe('the variables of an integration', () => {
  const provider = acmeProvider({
    tokenUrl: 'https://acme.example/{clientId}/token',
    apiBaseUrl: `https://{region}.{shop}.${'x'.repeat(60)}.${'x'.repeat(60)}.example/{site}`,
    variables: {
      region: { from: 'integration', title: 'Region', pattern: '[a-z.]{1,90}' },
      shop: { from: 'user', title: 'Shop', pattern: '[a-z]{1,60}' },
      site: { from: 'token-response', title: 'Site', path: 'site' },
    },
  });
  const refusedBy = (values: Record<string, string>) => pathsOf(() => assertVariables(provider, values));

  it('are those of the provider, which may be the user’s, with values that fit', () => {
    expect(refusedBy({ region: 'eu', shop: 'acme' })).toEqual([]);
    expect(refusedBy({ region: 'EU', nothing: 'x', site: '7' })).toEqual([
      'body.variables.region',
      'body.variables.nothing',
      'body.variables.site',
    ]);
  });

  it('fit together in one address, and with the client id', () => {
    const paths = (values: Record<string, string>, clientId?: string) =>
      pathsOf(() => assertCompatibleVariables(provider, { site: 's', ...values }, clientId));
    const long = `${'a'.repeat(50)}.${'b'.repeat(38)}`;
    expect(paths({ region: 'eu', shop: 'acme' }, 'client-1')).toEqual([]);
    expect(paths({ region: long, shop: 'acme' })).toEqual([]);
    expect(paths({ region: long, shop: 'c'.repeat(50) })).toEqual(['body.variables.shop']);
    expect(paths({ region: 'eu', shop: 'acme' }, '..')).toEqual(['body.clientId']);
  });

  it('are complete where only the operator knows them', () => {
    expect(pathsOf(() => assertRequiredVariables(provider, {}))).toEqual(['body.variables.region']);
    expect(pathsOf(() => assertRequiredVariables(provider, { region: 'eu' }))).toEqual([]);
  });
});

describe('a file that an operator pastes', () => {
  const provider = acmeProvider({
    variables: {
      certificate: { from: 'integration', secret: true, input: 'certificate' },
      privateKey: { from: 'integration', secret: true, input: 'private-key' },
      note: { from: 'integration' },
    },
  });

  it('is kept with its line breaks in order, and nothing beside it; other values stay as they are', () => {
    const pasted = {
      certificate: `\ufeff  ${TENANT_A.certificate.replaceAll('\n', '\r\n')}\r\n`,
      privateKey: `  ${TENANT_A.privateKey.trim()}  `,
      note: '  two words ',
    };
    expect(tidyFiles(provider, pasted)).toEqual({ ...TENANT_A, note: '  two words ' });
  });

  it('stays as it is where it is no such file, for the judgement that follows', () => {
    expect(tidyFiles(provider, { privateKey: 'none' })).toEqual({ privateKey: 'none' });
  });
});

describe('a provider', () => {
  it('that has ended takes no new integrations, and says since when and what to use', () => {
    const ended = { status: 'ended', statusDate: '2025-06-30', statusNote: 'Use Acme Two.' };
    expect(() => assertStillThere(acmeProvider(ended))).toThrow(
      expect.objectContaining({
        code: 'provider_ended',
        detail: 'Acme has ended (2025-06-30). Use Acme Two.',
      }),
    );
    expect(() => assertStillThere(acmeProvider({ status: 'ended' }))).toThrow(
      expect.objectContaining({ detail: 'Acme has ended.' }),
    );
    expect(() => assertStillThere(acmeProvider())).not.toThrow();
  });

  it('signs webhooks in the ways that its file has', () => {
    const hubspot = catalog.find('hubspot');
    if (hubspot === undefined) throw new Error('no hubspot');
    const [way = ''] = Object.keys(hubspot.webhooks.alternatives ?? {});
    expect(pathsOf(() => assertWebhookScheme(hubspot, { webhookScheme: way }))).toEqual([]);
    expect(pathsOf(() => assertWebhookScheme(hubspot, {}))).toEqual([]);
    const refused = ['body.settings.webhookScheme'];
    expect(pathsOf(() => assertWebhookScheme(hubspot, { webhookScheme: 'other' }))).toEqual(refused);
    expect(pathsOf(() => assertWebhookScheme(acmeProvider(), { webhookScheme: way }))).toEqual(refused);
  });
});
