import { join } from 'node:path';
import { loadCatalog } from '../../src/catalog/catalog.ts';
import { everyGrant } from '../support/every-grant.ts';

const BUILT_IN = join(import.meta.dirname, '../../src/catalog/providers');
/** The providers that are asked for most, by what other integration products list first. */
const MOST_USED = `
  activecampaign airtable anthropic asana attio bamboohr bigcommerce bitbucket box brevo calendly clickup close confluence
  copper discord docusign dropbox dynamics-365-sales facebook freshbooks freshdesk front github gitlab gmail gong google
  google-ads google-analytics google-calendar google-docs google-drive google-sheets gorgias greenhouse gusto help-scout
  hibob hubspot instagram intercom jira klaviyo lever linear linkedin mailchimp meta-ads microsoft-teams monday notion
  onedrive openai outlook outreach paypal personio pipedrive quickbooks sage-accounting salesforce salesloft sendgrid
  servicenow sharepoint shopify slack square stripe surveymonkey tiktok trello twilio typeform woocommerce workable x xero
  youtube zendesk zoho-books zoho-crm zoom`
  .trim()
  .split(/\s+/);

describe('the built-in catalog', () => {
  const catalog = loadCatalog({ builtInDirectory: BUILT_IN, allowPrivateNetworks: false });

  const providers = catalog.list();
  const withSteps = providers.filter(({ setupSteps }) => setupSteps.length > 0);
  const keyed = everyGrant(catalog).filter(([, { auth }]) => auth === 'api-key' || auth === 'basic');

  it('has several hundred entries, and tells of most whose account it is', () => {
    expect(providers.length).toBeGreaterThanOrEqual(425);
    expect(providers.filter(({ account }) => account !== undefined).length).toBeGreaterThanOrEqual(300);
  });

  it.each(MOST_USED)(
    '%s, one of the most used, says how it is set up, what it is and where to read on',
    (id) => {
      expect(catalog.find(id)?.docsUrl).toMatch(/^https:/);
      expect(withSteps.map((provider) => provider.id)).toContain(id);
      expect(catalog.find(id)?.category).not.toBe('other');
    },
  );

  it.each(keyed)('%s tells users what to type', (_id, { credentialHint, variables }) => {
    const words = variables.filter(({ from }) => from === 'user').map(({ description }) => description);
    expect([credentialHint, ...words].filter((text) => text !== undefined)).not.toEqual([]);
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
