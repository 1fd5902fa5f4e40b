import { builtInCatalog } from '../support/built-in-catalog.ts';
import { everyGrant } from '../support/every-grant.ts';

describe('the built-in catalog', () => {
  const catalog = builtInCatalog;

  const providers = catalog.list();
  const withSteps = providers.filter(({ setupSteps }) => setupSteps.length > 0);
  const keyed = everyGrant(catalog).filter(([, { auth }]) => auth === 'api-key' || auth === 'basic');

  it('has several hundred entries, and tells of most whose account it is', () => {
    expect(providers.length).toBeGreaterThanOrEqual(425);
    expect(providers.filter(({ account }) => account !== undefined).length).toBeGreaterThanOrEqual(300);
  });

  it('says of each entry how far its facts are confirmed', () => {
    expect(providers.filter(({ evidence }) => evidence === undefined).map(({ id }) => id)).toEqual([]);
  });

  it.each(keyed)('%s tells users what to type', (_id, { credentialHint, variables }) => {
    const words = variables.filter(({ from }) => from === 'user').map(({ description }) => description);
    expect([credentialHint, ...words].filter((text) => text !== undefined)).not.toEqual([]);
  });

  it('says of each credential that cannot be proved why not, in words that are about it', () => {
    const given = everyGrant(catalog).flatMap(([, { id, noProbe }]) =>
      noProbe ? [`${id}: ${noProbe}`] : [],
    );
    // What an entry says holds for its grants too.
    const reasons = [...new Set(given)].map((text) => text.slice(text.indexOf(': ')));
    const shared = reasons.filter((reason, index) => reasons.indexOf(reason) !== index);
    expect(shared).toEqual([]);
  });

  it('has the model entry', () => {
    expect(catalog.find('hubspot')).toMatchObject({
      optionalScopeParameter: 'optional_scope',
      auth: 'oauth2',
    });
    expect(catalog.find('hubspot')?.tokenUrl).not.toContain('/oauth/v1/');
  });

  it.each(withSteps.map((provider) => [provider.id, provider] as const))(
    '%s can be set up from what it says',
    (_id, { auth, mcp, setupSteps }) => {
      expect(setupSteps.length).toBeGreaterThanOrEqual(3);
      // What registers itself tells its redirect URL itself.
      if (auth === 'oauth2' && mcp?.registration !== 'automatic')
        expect(setupSteps.join(' ')).toContain('{redirectUrl}');
      const placeholders = setupSteps.flatMap((step) => [...step.matchAll(/\{[^}]*\}/g)].map(String));
      expect(placeholders.filter((name) => !['{redirectUrl}', '{webhookUrl}'].includes(name))).toEqual([]);
    },
  );
});
