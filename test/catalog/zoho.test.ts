import { resolveUrl } from '../../src/catalog/facts/resolve-url.ts';
import type { Provider } from '../../src/catalog/schema/provider.schema.ts';
import { readCallbackVariables } from '../../src/oauth/account.ts';
import { builtInCatalog } from '../support/built-in-catalog.ts';
import { everyGrant } from '../support/every-grant.ts';

const grants = everyGrant(builtInCatalog).filter(
  ([, { id, auth }]) => /^zoho(-|$)/.test(id) && auth === 'oauth2',
);
/** Data centers whose hosts have another form, each a grant of its own. */
const ofOneCenter = grants.filter(([, { tokenUrl = '' }]) => !tokenUrl.includes('{'));
const entries = grants.filter((grant) => !ofOneCenter.includes(grant));

const addressOf = (provider: Provider, template = '', values: Readonly<Record<string, string>> = {}) => {
  const resolved = resolveUrl(template, provider, values);
  return resolved.ok ? new URL(resolved.url).origin : undefined;
};

/** As Zoho's documentation on several data centers has it (zoho.com/accounts/protocol/oauth/multi-dc). */
const callbackOf = (server: string) => ({ code: 'code', location: 'xx', 'accounts-server': server });

it('Zoho has an entry for each product and one for all', () => {
  expect(entries.length).toBeGreaterThanOrEqual(19);
});

describe.each(entries)('%s', (_name, provider) => {
  const variablesFrom = (server: string) => readCallbackVariables(provider, callbackOf(server));

  it('lets no user choose a data center, and begins where Zoho sends each user on', () => {
    const asked = provider.variables.filter(
      ({ from, position }) => from === 'user' && position !== 'elsewhere',
    );
    expect(asked.map(({ name }) => name)).toEqual([]);
    expect(addressOf(provider, provider.authorizationUrl)).toBe('https://accounts.zoho.com');
  });

  it.each(['com', 'eu', 'in', 'com.au', 'jp', 'sa', 'uk', 'com.cn'])(
    'asks for tokens, and revokes them, at accounts.zoho.%s where the callback says so',
    (ending) => {
      const variables = variablesFrom(`https://accounts.zoho.${ending}`);
      const values = variables.ok ? variables.variables : {};
      for (const template of [provider.tokenUrl, provider.revocationUrl])
        expect(addressOf(provider, template, values)).toBe(`https://accounts.zoho.${ending}`);
    },
  );

  it.each([
    'https://accounts.evil.example',
    'https://accounts.zoho.evil',
    'https://accounts.zoho.eu.evil.example',
    'https://evil.example/?https://accounts.zoho.eu',
    'http://accounts.zoho.eu',
    'https://accounts.zoho.eu@evil.example',
    '',
  ])('sends no code or secret to what is no server of Zoho’s: %j', (server) => {
    const variables = variablesFrom(server);
    const origin = variables.ok ? addressOf(provider, provider.tokenUrl, variables.variables) : undefined;
    expect([undefined, 'https://accounts.zoho.com']).toContain(origin);
  });

  it('calls the API of the same data center', () => {
    const variables = variablesFrom('https://accounts.zoho.eu');
    const values = {
      api_domain: 'https://www.zohoapis.eu',
      organizationId: '1',
      ...(variables.ok && variables.variables),
    };
    const origin = addressOf(provider, provider.apiBaseUrl, values);
    expect(origin ?? 'https://named-by-the-token.zoho.eu').toMatch(/^https:\/\/[a-z]+\.(zoho|zohoapis)\.eu$/);
  });
});

describe.each(ofOneCenter)('%s', (_name, provider) => {
  it('asks the servers of one data center alone, whatever the callback says', () => {
    const variables = readCallbackVariables(provider, callbackOf('https://accounts.zoho.eu'));
    const values = { organizationId: '1', ...(variables.ok && variables.variables) };
    const [asked = '', ...others] = [provider.tokenUrl, provider.revocationUrl].map((template) =>
      addressOf(provider, template, values),
    );
    expect(asked).toMatch(/^https:\/\/accounts\.(zohocloud\.ca|zoho\.com\.cn)$/);
    expect(others).toEqual([asked]);
    const ending = asked.endsWith('.ca') ? 'ca' : 'com.cn';
    const filled = { ...values, api_domain: `https://www.zohoapis.${ending}` };
    const api = addressOf(provider, provider.apiBaseUrl, filled) ?? '';
    expect(api).toMatch(/^https:\/\/[a-z]+\.(zohoapis|zohocloud|zoho)\.(ca|com\.cn)$/);
    expect(api.endsWith(ending)).toBe(true);
  });
});
