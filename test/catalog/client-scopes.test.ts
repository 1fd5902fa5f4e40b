import { builtInCatalog } from '../support/built-in-catalog.ts';

/**
 * Products whose clients get what they were made with, as far as their sources say. A new entry is either one of these, or
 * names the scopes without which its tokens open nothing.
 */
const WITHOUT_SCOPES = new Set(
  `
  1password-users 3cx 8x8 adoxx-cc adp agentcard airbyte bigchange bliro brightcove chartboost
  conductorone dope-security drupal emarsys ingenious-build jamf listrak marketo medallia mimecast mongodb-atlas
  optum-real ory pax8 paychex paylocity-nextgen pingboard pipedream pverify revivn roller salesforce-marketing-cloud
  sap-ariba sap-concur sap-fieldglass sap-odata sedna shopware swoogo tapclicks thomson-reuters-legal-tracker trafft
  transporeon-carrier ukg-pro ukg-ready yokoy zuora`
    .trim()
    .split(/\s+/),
);

const clients = [...builtInCatalog.list()].filter(({ auth }) => auth === 'oauth2-client-credentials');

function saysScopes(provider: (typeof clients)[number]): boolean {
  const texts = [...provider.notes, ...provider.setupSteps, ...provider.quirks].join(' ');
  return provider.defaultScopes.length > 0 || 'scope' in provider.tokenParams || /\bscopes?\b/i.test(texts);
}

it('every client that gets only the scopes it asks for says which', () => {
  const silent = clients.filter((provider) => !saysScopes(provider) && !WITHOUT_SCOPES.has(provider.id));
  expect(silent.map(({ id }) => id)).toEqual([]);
});

it('no product is named as one without scopes that has some', () => {
  const known = new Map(clients.map((provider) => [provider.id, provider]));
  const wrong = [...WITHOUT_SCOPES].filter((id) => {
    const provider = known.get(id);
    return provider === undefined || saysScopes(provider);
  });
  expect(wrong).toEqual([]);
});
