import { disambiguateLabels } from '../../src/connect/disambiguate-labels.ts';
import { acmeProvider } from '../support/acme-provider.ts';

const provider = acmeProvider({
  authorizationUrl: 'https://{shop}.acme.example/authorize',
  apiBaseUrl: 'https://{region}.acme.example',
  variables: {
    shop: { from: 'user' },
    region: {
      from: 'integration',
      options: [
        { value: 'eu', title: 'Europe' },
        { value: 'us', title: 'United States' },
      ],
    },
    key: { from: 'integration', secret: true },
  },
});
const other = acmeProvider({ id: 'other' });

const labels = (...variables: Record<string, string>[]) => {
  const listed = variables.map((values, index) => ({
    provider,
    integration: { id: `0190b1e2-0000-7000-8000-0000aaaa000${index}`, name: null, variables: values },
  }));
  const single = { provider: other, integration: { id: 'single', name: null, variables: { region: 'x' } } };
  return [...disambiguateLabels([...listed, single]).values()];
};

it('are nothing where every provider is there once', () => {
  expect(labels({ region: 'eu' })).toEqual([]);
});

it.each([
  [
    [{ region: 'eu' }, { region: 'us' }],
    ['Europe', 'United States'],
  ],
  [
    [
      { region: 'eu', shop: 'a' },
      { region: 'eu', shop: 'b' },
    ],
    ['a', 'b'],
  ],
  [
    [{ region: 'eu', shop: 'a' }, { region: 'us' }],
    ['a, Europe', 'United States'],
  ],
  [
    [{ region: 'eu' }, {}],
    ['Europe', 'aaaa0001'],
  ],
  [
    [{ region: 'eu' }, { region: 'eu' }],
    ['aaaa0000', 'aaaa0001'],
  ],
  [
    [{ region: 'eu' }, { region: 'eu' }, { region: 'us' }],
    ['Europe, aaaa0000', 'Europe, aaaa0001', 'United States'],
  ],
  [
    [{ key: 'hunter1' }, { key: 'hunter2' }],
    ['aaaa0000', 'aaaa0001'],
  ],
])('of %j are %j', (variables, expected) => {
  expect(labels(...variables)).toEqual(expected);
});
