import fc from 'fast-check';
import { resolveUrl } from '../../src/catalog/facts/resolve-url.ts';
import type { Provider, ProviderVariable } from '../../src/catalog/schema/provider.schema.ts';
import { builtInCatalog } from '../support/built-in-catalog.ts';
import { everyGrant } from '../support/every-grant.ts';

const catalog = builtInCatalog;

/** Where a value would have to lead to do harm, in every spelling that a parser might fall for. */
const FOREIGN = [
  'evil.com',
  'evil.com/',
  'evil.com?',
  'evil.com#',
  'evil.com\\',
  'evil.com:443',
  'evil.com.',
  'x@evil.com',
  'x:y@evil.com/',
  'https://evil.com',
  '//evil.com',
  'evil.com%2f',
  'evil.com%23',
  'evil.com%00',
  'evil.com\n',
  'evil。com',
  'evil．com／',
  'ｅvil',
  'xn--evil-9ra.com/',
  'ev\u00adil',
  'evil\u2044',
  '127.0.0.1/',
  '[::1]',
  '../evil',
  '{evil}',
];

type HostVariable = {
  readonly provider: Provider;
  readonly variable: ProviderVariable;
  readonly template: string;
};

/** Every template of the catalog with every variable that an end user or the browser gives and that stands in its host. */
function hostVariables(...positions: ProviderVariable['position'][]): HostVariable[] {
  return everyGrant(catalog).flatMap(([, provider]) => {
    const { authorizationUrl, tokenUrl, refreshUrl, revocationUrl, apiBaseUrl, account } = provider;
    const urls = [authorizationUrl, tokenUrl, refreshUrl, revocationUrl, apiBaseUrl, account?.request?.url];
    return provider.variables
      .filter(
        ({ from, position }) => (from === 'user' || from === 'callback') && positions.includes(position),
      )
      .flatMap((variable) =>
        urls
          .filter((url) => url !== undefined && hostOf(url).includes(`{${variable.name}}`))
          .map((template) => ({ provider, variable, template: template ?? '' })),
      );
  });
}

function hostOf(template: string): string {
  return /^https?:\/\/([^/?#]*)/.exec(template)?.[1] ?? '';
}

/** What follows the variable in the host, the other variables having their examples. */
function fixedPart({ provider, variable, template }: HostVariable): string {
  const after = hostOf(template).split(`{${variable.name}}`).at(-1) ?? '';
  return after.replace(/\{([^}]+)\}/g, (_whole, name: string) => examplesOf(provider)[name] ?? '');
}

function examplesOf({ variables }: Provider): Record<string, string> {
  return Object.fromEntries(
    variables.map(({ name, example, options }) => [name, example ?? options?.[0]?.value ?? 'example']),
  );
}

/** The host that is called with this value, all other variables having their examples; undefined where it is refused. */
function calledHost({ provider, variable, template }: HostVariable, value: string): string | undefined {
  const values = { ...examplesOf(provider), [variable.name]: value };
  const resolved = resolveUrl(template, provider, values);
  return resolved.ok ? new URL(resolved.url).host : undefined;
}

describe('whatever an end user types for a provider of the catalog', () => {
  const labels = hostVariables('host-label');
  const endings = hostVariables('host-ending');

  it('is tried at many providers', () => {
    expect(new Set(labels.map(({ provider }) => provider.id)).size).toBeGreaterThan(20);
  });

  it('does not leave the domain that the provider’s file has fixed', () => {
    const nasty = fc.oneof(
      fc.constantFrom(...FOREIGN),
      fc.string({ unit: fc.constantFrom(...'ae.-_/@:?#\\%{}[]0x27f1&= \t\r\né。'), maxLength: 20 }),
    );
    fc.assert(
      fc.property(fc.constantFrom(...labels), nasty, (place, value) => {
        const fixed = fixedPart(place);
        const host = calledHost(place, value);
        expect(host === undefined || host.endsWith(fixed)).toBe(true);
      }),
      { numRuns: 5000 },
    );
  });

  it.each(FOREIGN)('%j is refused, or is a label in front of that domain', (value) => {
    for (const place of labels) {
      const fixed = fixedPart(place);
      expect([place.provider.id, fixed]).toEqual([place.provider.id, expect.stringContaining('.')]);
      const host = calledHost(place, value) ?? fixed;
      expect([place.provider.id, host.endsWith(fixed)]).toEqual([place.provider.id, true]);
    }
    for (const place of endings) expect(calledHost(place, value)).toBeUndefined();
  });

  it('never names the host of a token endpoint alone', () => {
    const free = hostVariables('host', 'origin').filter(({ provider, template }) =>
      [provider.tokenUrl, provider.refreshUrl, provider.revocationUrl].includes(template),
    );
    for (const place of free) {
      expect([place.provider.id, FOREIGN.flatMap((value) => calledHost(place, value) ?? [])]).toEqual([
        place.provider.id,
        [],
      ]);
    }
  });
});
