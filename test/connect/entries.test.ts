import { type Target, validateEntries } from '../../src/connect/connect-flow.ts';
import { acmeIntegration, acmeProvider } from '../support/acme-provider.ts';

function targetOf(extra: object, clientId: string | null): Target {
  const integration = acmeIntegration({ clientId });
  const provider = acmeProvider(extra);
  return { provider, integration, known: {}, kept: {}, sealed: new Set<string>(), wantedTenant: null };
}

describe('what a user types', () => {
  const NAMED = { variables: { shop: { from: 'user', pattern: '[a-z]{1,40}' } } };

  it('is kept apart by what may be shown', () => {
    const variables = { shop: { from: 'user' }, pin: { from: 'user', secret: true } };
    expect(validateEntries(targetOf({ variables }, 'client'), { shop: ' acme ', pin: '1234' })).toEqual({
      ok: true,
      variables: { shop: 'acme' },
      secrets: { pin: '1234' },
    });
  });

  it.each([
    ['', 'required'],
    ['ACME/', 'invalid'],
  ])('(%j) is %s', (shop, fault) => {
    expect(validateEntries(targetOf(NAMED, 'client'), { shop })).toEqual({
      ok: false,
      faults: { shop: fault },
    });
  });

  it('has to fit the other variables of an address, which may hold the client ID as well', () => {
    const label = 'x'.repeat(60);
    const extra = {
      apiBaseUrl: `https://{region}.{shop}.${label}.${label}.example/{clientId}`,
      variables: { ...NAMED.variables, region: { from: 'integration', pattern: '[a-z.]{1,90}' } },
    };
    const entriesIn = (region: string) =>
      validateEntries({ ...targetOf(extra, 'client'), known: { region } }, { shop: 'a'.repeat(40) });
    expect(entriesIn('eu').ok).toBe(true);
    // A host name has at most 253 characters (RFC 1035 section 2.3.4).
    const region = `${'b'.repeat(44)}.${'b'.repeat(45)}`;
    expect(entriesIn('b'.repeat(63)).ok).toBe(true);
    expect(entriesIn(region)).toEqual({ ok: false, faults: { shop: 'invalid' } });
  });
});
