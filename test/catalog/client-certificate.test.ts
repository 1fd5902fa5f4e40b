import { clientCertificateFor } from '../../src/catalog/facts/client-certificate.ts';
import { providerFromFile } from '../../src/catalog/loading/provider-from-file.ts';
import { TENANT_A } from '../support/client-certificates.ts';

const CERTIFICATE = { from: 'integration', secret: true, input: 'certificate' };
const KEY = { from: 'integration', secret: true, input: 'private-key' };
const FILE = {
  id: 'bank',
  name: 'Bank',
  auth: 'oauth2-client-credentials',
  tokenUrl: 'https://bank.example/token',
  apiBaseUrl: 'https://bank.example/api',
  variables: { certificate: CERTIFICATE, privateKey: KEY } as Record<string, unknown>,
  clientCertificate: { certificate: '{certificate}', privateKey: '{privateKey}' } as Record<string, unknown>,
};

const OPTIONS = { allowPrivateNetworks: false };
const load = (changes: object) => {
  const loaded = providerFromFile({ ...FILE, ...changes }, OPTIONS);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded));
  return loaded.provider;
};
const withVariables = (variables: object) => ({ variables: { ...FILE.variables, ...variables } });

describe('a file that names a client certificate', () => {
  it('shows it at both places where it does not say otherwise', () => {
    const provider = load({});
    for (const place of ['token', 'api'] as const)
      expect(clientCertificateFor(provider, place, TENANT_A)).toBeDefined();
    const atApi = load({ clientCertificate: { ...FILE.clientCertificate, at: ['api'] } });
    expect(clientCertificateFor(atApi, 'token', TENANT_A)).toBeUndefined();
  });

  it('shows none where the values have none', () => {
    expect(clientCertificateFor(load({}), 'api', { certificate: TENANT_A.certificate })).toBeUndefined();
  });

  it('gives it to the grants of the entry, which may do without', () => {
    const grants = [
      {
        id: 'key',
        title: 'Key',
        auth: 'api-key',
        apiKey: { in: 'header', name: 'X-Key', template: '{apiKey}' },
      },
    ];
    const provider = load({ grants });
    expect(provider.grants).toHaveLength(1);
  });

  it.each([
    [
      'tls_client_auth without a certificate',
      { clientCertificate: undefined, tokenEndpointAuth: 'tls_client_auth' },
      /needs clientCertificate at token/,
    ],
    [
      'a variable that there is not',
      withVariables({ privateKey: undefined }),
      /\{privateKey\}, which is not among/,
    ],
    [
      'a key that is no file',
      withVariables({ privateKey: { from: 'integration', secret: true } }),
      /must be input: private-key/,
    ],
    [
      'an open certificate',
      withVariables({ certificate: { ...CERTIFICATE, secret: false } }),
      /must be secret: true/,
    ],
    [
      'a certificate that the provider tells',
      withVariables({ certificate: { ...CERTIFICATE, from: 'account' } }),
      /from: user or from: integration/,
    ],
    [
      'halves of different parties',
      withVariables({ certificate: { ...CERTIFICATE, from: 'user' } }),
      /from the same party/,
    ],
    [
      'one optional half',
      withVariables({ certificate: { ...CERTIFICATE, optional: true } }),
      /both optional/,
    ],
    [
      'two names in one place',
      { clientCertificate: { ...FILE.clientCertificate, privateKey: '{a}{b}' } },
      /one placeholder/,
    ],
    [
      'a place twice',
      { clientCertificate: { ...FILE.clientCertificate, at: ['api', 'api'] } },
      /names a place twice/,
    ],
    [
      'no place of its kind',
      { auth: 'basic', tokenUrl: undefined, clientCertificate: { ...FILE.clientCertificate, at: ['token'] } },
      /must name api/,
    ],
  ])('is refused with %s', (_name, changes, reason) => {
    const given = JSON.parse(JSON.stringify({ ...FILE, ...changes }));
    expect(JSON.stringify(providerFromFile(given, OPTIONS))).toMatch(reason);
  });
});
