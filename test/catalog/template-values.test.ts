import fc from 'fast-check';
import { consentedValues, templateValues } from '../../src/catalog/facts/template-values.ts';
import { acmeProvider } from '../support/acme-provider.ts';

describe('the values that fill templates', () => {
  it('are taken from the strongest source that has them', () => {
    const all = { a: 'integration', b: 'integration', c: 'integration', d: 'integration' };
    const values = templateValues({
      credentials: { d: 'credentials' },
      entered: { c: 'entered' },
      connection: { b: 'connection', c: 'connection', d: 'connection' },
      integration: all,
      defaults: { a: 'default', e: 'default' },
    });
    expect(values).toEqual({
      a: 'integration',
      b: 'connection',
      c: 'entered',
      d: 'credentials',
      e: 'default',
    });
  });

  it('do not depend on the order in which the sources are written, and merge in steps as at once', () => {
    const bag = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.option(fc.string(), { nil: undefined }));
    fc.assert(
      fc.property(bag, bag, bag, bag, (integration, connection, entered, credentials) => {
        const atOnce = templateValues({ integration, connection, entered, credentials });
        expect(templateValues({ credentials, entered, connection, integration })).toEqual(atOnce);
        const before = templateValues({ integration, connection });
        expect(templateValues({ before, entered, credentials })).toEqual(atOnce);
      }),
    );
  });

  it('leave out what has no value', () => {
    expect(templateValues({ connection: { a: 'x' }, entered: { a: undefined } })).toEqual({ a: 'x' });
  });
});

it('a consent is given for hosts and for where tokens come from, not for what an operator may change for all', () => {
  const provider = acmeProvider({
    authorizationUrl: 'https://login.acme.example/{tenant}/authorize',
    tokenUrl: 'https://login.acme.example/{tenant}/token',
    apiBaseUrl: 'https://{site}.acme.example/{version}',
    apiHeaders: { 'X-Partner': '{partner}' },
    variables: {
      tenant: { from: 'integration' },
      site: { from: 'integration' },
      version: { from: 'integration' },
      partner: { from: 'integration' },
    },
  });
  const values = { tenant: 'one', site: 'two', version: 'v3', partner: 'four' };
  expect(consentedValues(provider, values)).toEqual({ tenant: 'one', site: 'two' });
});
