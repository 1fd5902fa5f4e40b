import { listFileUrls } from '../../src/catalog/facts/file-urls.ts';
import type { Provider } from '../../src/catalog/schema/provider.schema.ts';
import { listAuthMethods } from '../../src/catalog/schema/provider-auth-methods.ts';
import { builtInCatalog } from '../support/built-in-catalog.ts';

const catalog = builtInCatalog;

const TEST_ENVIRONMENT = /-(sandbox|staging|demo|test)$/;
/** Entries of a test environment, each beside the entry of the same product. */
const pairs = catalog
  .list()
  .filter(({ id }) => TEST_ENVIRONMENT.test(id))
  .flatMap((tested): [string, Provider, Provider][] => {
    const live = catalog.find(tested.id.replace(TEST_ENVIRONMENT, ''));
    return live === undefined ? [] : [[tested.id, tested, live]];
  });

/** Fields by which an entry is another provider to talk to, beside addresses and words. */
const BEHAVIOUR = [
  'auth',
  'scopeSeparator',
  'pkce',
  'tokenEndpointAuth',
  'tokenParams',
  'tokenRequest',
  'refreshParams',
  'refreshRequest',
  'refreshWith',
  'tokenResponse',
  'callback',
  'clientIdParameter',
  'redirectUriTemplate',
  'accessTokenHeader',
  'accessTokenLifetimeSeconds',
  'revocation',
  'apiKey',
  'basic',
  'apiHeaders',
  'apiQuery',
  'callerCredentials',
] as const;

const WORDS = new Set(['title', 'description', 'example']);

/** What an entry does, with the same text for every host name. */
function behaviourOf(provider: Provider): string[] {
  const account = provider.account && { id: provider.account.id, name: provider.account.name };
  const tenants = provider.tenants && { id: provider.tenants.id, items: provider.tenants.items };
  const facts = {
    account,
    tenants,
    ...Object.fromEntries(BEHAVIOUR.map((field) => [field, provider[field]])),
  };
  return Object.entries(facts).map(([field, value]) =>
    JSON.stringify([field, value], (key, member) => (WORDS.has(key) ? undefined : member)).replaceAll(
      /https:\/\/[^/"]+/g,
      'https://host',
    ),
  );
}

const VERSION = /\/(v\d+\.\d+|20\d\d-\d\d)(?=[/?]|$)/g;

/** Dated and dotted versions in the addresses of a provider, each with the host: Meta's v25.0, Shopify's 2026-07. */
function versionsOf(provider: Provider): [host: string, version: string][] {
  const defaults = new Map(provider.variables.map(({ name, default: usual }) => [name, usual]));
  return listFileUrls(provider).flatMap(([, url]) => {
    const filled = url.replaceAll(/\{([^{}]+)\}/g, (whole, name) => defaults.get(name) ?? whole);
    const host = /^https:\/\/([^/]+)/.exec(filled)?.[1];
    if (host === undefined) return [];
    return [...filled.matchAll(VERSION)].map(([, version = '']): [string, string] => [host, version]);
  });
}

describe('entries of one product', () => {
  it.each(pairs)('%s behaves as the live environment does', (_id, tested, live) => {
    expect(behaviourOf(tested)).toEqual(behaviourOf(live));
  });

  it('name one version of an API at a host', () => {
    const found = new Map<string, Map<string, string[]>>();
    for (const provider of catalog.list().flatMap(listAuthMethods)) {
      for (const [host, version] of versionsOf(provider)) {
        const ofHost = found.get(host) ?? new Map<string, string[]>();
        found.set(host, ofHost.set(version, [...(ofHost.get(version) ?? []), provider.id]));
      }
    }
    expect(found.get('graph.facebook.com')?.size).toBe(1);
    const mixed = [...found].filter(([, versions]) => versions.size > 1);
    expect(mixed.map(([host, versions]) => [host, Object.fromEntries(versions)])).toEqual([]);
  });

  it('of Zoho send users to sign-in hosts that there are', () => {
    const domains = [
      'zoho.com',
      'zoho.eu',
      'zoho.in',
      'zoho.com.au',
      'zoho.com.cn',
      'zoho.jp',
      'zoho.sa',
      'zoho.ae',
      'zoho.uk',
      'zohocloud.ca',
    ];
    const known = new Set(domains.map((domain) => `accounts.${domain}`));
    const sentTo = catalog
      .list()
      .filter(({ id, authorizationUrl }) => /^zoho(-|$)/.test(id) && authorizationUrl !== undefined)
      .flatMap(({ authorizationUrl = '', variables }) => {
        const name = /\{([^{}]+)\}/.exec(authorizationUrl)?.[1];
        const options = variables.find((variable) => variable.name === name)?.options ?? [{ value: '' }];
        return options.map(({ value }) => new URL(authorizationUrl.replace(`{${name}}`, value)).host);
      });
    expect(sentTo.length).toBeGreaterThan(30);
    expect(sentTo.filter((host) => !known.has(host))).toEqual([]);
  });
});
