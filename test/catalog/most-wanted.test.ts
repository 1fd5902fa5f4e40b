import { findHostFact, type HostFact } from '../../scripts/host-facts.ts';
import { readLogos, renderLogo } from '../../src/catalog/loading/logos.ts';
import type { Provider } from '../../src/catalog/schema/provider.schema.ts';
import { buildProbe } from '../../src/oauth/probe.ts';
import { builtInCatalog } from '../support/built-in-catalog.ts';
import {
  HOSTS_UNKNOWN,
  MOST_WANTED,
  WITHOUT_ACCOUNT,
  WITHOUT_PORTAL,
  WITHOUT_SCOPES,
} from './most-wanted.ts';

const catalog = builtInCatalog;
const logos = readLogos();

/** An address that each company has for itself, so that its settings are found there and nowhere else. */
const isOwnAddress = ({ apiBaseUrl }: Provider) => /^(https:\/\/[^/]*)?\{/.test(apiBaseUrl);

/** Scopes that an entry names anywhere: those of new integrations, and those that its polls need. */
function scopesNamedBy({ defaultScopes, polls }: Provider): string[] {
  return [...defaultScopes, ...Object.values(polls).flatMap(({ scopes = [] }) => scopes)];
}

const QUESTIONS: Readonly<Record<string, (provider: Provider) => boolean>> = {
  'steps to set it up': ({ setupSteps }) => setupSteps.length >= 3,
  'where an application or a key is made': (provider) =>
    provider.portalUrl !== undefined || isOwnAddress(provider) || provider.id in WITHOUT_PORTAL,
  'the documentation': ({ docsUrl }) => docsUrl !== undefined,
  'a category': ({ category }) => category !== 'other',
  'how far its facts are confirmed': ({ evidence }) => evidence !== undefined,
  'why not everyone can use it': ({ status, statusNote }) =>
    status === 'available' || statusNote !== undefined,
  'who is connected': ({ id, account, tenants }) =>
    account !== undefined || tenants?.asked === true || id in WITHOUT_ACCOUNT,
  'what its scopes mean': ({ auth, id, scopeDescriptions }) =>
    auth !== 'oauth2' || Object.keys(scopeDescriptions).length > 0 || id in WITHOUT_SCOPES,
  'what each scope that it names means': (provider) =>
    scopesNamedBy(provider).every((scope) => scope in provider.scopeDescriptions),
  'how access is revoked, or why it is not': ({ auth, revocationUrl, noRevocation }) =>
    auth !== 'oauth2' || revocationUrl !== undefined || noRevocation !== undefined,
  'what users type': ({ auth, credentialHint }) =>
    (auth !== 'api-key' && auth !== 'basic') || credentialHint !== undefined,
  'what request proves a credential, or why none does': (provider) =>
    provider.noProbe !== undefined || buildProbe(provider) !== undefined,
  'which hosts its API has, or why that is open': (provider) =>
    findHostFact(provider) !== 'unknown' || provider.id in HOSTS_UNKNOWN,
  'a logo': (provider) => /<(path|text)/.test(renderLogo(provider, logos)),
};

/** What an entry leaves open of what people ask before they connect a product. */
function openQuestionsOf(id: string): string[] {
  const provider = catalog.find(id);
  if (provider === undefined) return ['what it is'];
  return Object.entries(QUESTIONS)
    .filter(([, isAnswered]) => !isAnswered(provider))
    .map(([question]) => question);
}

describe('of the most wanted products', () => {
  it('there are more than a hundred, each once', () => {
    expect(new Set(MOST_WANTED).size).toBe(MOST_WANTED.length);
    expect(MOST_WANTED.length).toBeGreaterThan(150);
  });

  it.each(MOST_WANTED)('%s leaves no question open', (id) => {
    expect(openQuestionsOf(id)).toEqual([]);
  });

  it.each<[string, Readonly<Record<string, string>>, (provider: Provider) => boolean]>([
    ['a portal', WITHOUT_PORTAL, ({ portalUrl }) => portalUrl !== undefined],
    ['an account', WITHOUT_ACCOUNT, ({ account }) => account !== undefined],
    ['scopes', WITHOUT_SCOPES, ({ scopeDescriptions }) => Object.keys(scopeDescriptions).length > 0],
    ['its hosts', HOSTS_UNKNOWN, (provider) => findHostFact(provider) !== 'unknown'],
  ])('none that is excused from %s has it', (_what, reasons, hasIt) => {
    const excused = Object.keys(reasons).filter((id) => MOST_WANTED.includes(id));
    expect(excused).toEqual(Object.keys(reasons));
    const providers = excused.map((id) => catalog.find(id));
    expect(providers.filter((provider) => provider === undefined || hasIt(provider))).toEqual([]);
  });

  it.each([
    { which: 'the first hundred', ids: MOST_WANTED.slice(0, 100), further: 30, unknown: 1 },
    { which: 'all', ids: MOST_WANTED, further: 77, unknown: 6 },
  ])('$which name no fewer hosts than before, and leave no more open', ({ ids, further, unknown }) => {
    const facts = ids.map((id) => {
      const provider = catalog.find(id);
      return provider === undefined ? 'unknown' : findHostFact(provider);
    });
    const count = (wanted: HostFact) => facts.filter((fact) => fact === wanted).length;
    expect(count('further')).toBeGreaterThanOrEqual(further);
    expect(count('unknown')).toBeLessThanOrEqual(unknown);
  });
});
