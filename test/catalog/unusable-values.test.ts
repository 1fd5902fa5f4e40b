import { validateVariable } from '../../src/catalog/facts/resolve-url.ts';
import type { Provider } from '../../src/catalog/schema/provider.schema.ts';
import { withGrant } from '../../src/catalog/schema/provider-auth-methods.ts';
import { builtInCatalog } from '../support/built-in-catalog.ts';
import { everyGrant } from '../support/every-grant.ts';

function judge(provider: Provider | undefined, name: string, value: string) {
  const variable = provider?.variables.find((candidate) => candidate.name === name);
  if (variable === undefined) throw new Error(`no variable ${name}`);
  return validateVariable(variable, value);
}

const github = builtInCatalog.find('github');

it.each([
  ['aws', 'region', 'cn-north-1', 'amazonaws.com.cn'],
  ['aws-s3', 'region', 'cn-north-1', 'amazonaws.com.cn'],
  ['aws-s3', 'region', 'us-iso-east-1', 'isolated'],
  ['aws-s3', 'region', 'us-isob-east-1', 'isolated'],
  ['aws-s3', 'region', 'eusc-de-east-1', 'amazonaws.eu'],
])('%s: %s %s is refused in words', (id, name, value, words) => {
  expect(judge(builtInCatalog.find(id), name, value)).toEqual({
    ok: false,
    message: expect.stringContaining(words),
  });
});

it.each(['eu-west-1', 'us-gov-west-1', 'ap-southeast-4', 'il-central-1'])(
  '%s is a region of AWS',
  (region) => {
    expect(judge(builtInCatalog.find('aws-s3'), 'region', region).ok).toBe(true);
  },
);

it.each([
  ['acme.ghe.com', 'Enterprise Cloud'],
  ['ACME.ghe.com', 'Enterprise Cloud'],
  ['github.com', 'usual way'],
  ['api.github.com', 'usual way'],
])('GitHub Enterprise Server does not stand at %s', (host, words) => {
  const provider = github && withGrant(github, 'enterprise-server');
  expect(judge(provider, 'host', host)).toEqual({ ok: false, message: expect.stringContaining(words) });
  expect(judge(provider, 'host', 'github.acme.example').ok).toBe(true);
});

/** Regions of the partitions of AWS whose hosts stand under other domains than amazonaws.com. */
const OTHER_PARTITIONS = [
  'cn-north-1',
  'cn-northwest-1',
  'us-iso-east-1',
  'us-isob-east-1',
  'eu-isoe-west-1',
  'eusc-de-east-1',
];

it('no variable that names a host of amazonaws.com takes a region of another domain', () => {
  const taken = everyGrant(builtInCatalog).flatMap(([entry, provider]) =>
    provider.variables
      .filter(({ name }) => new RegExp(`\\{${name}\\}\\.amazonaws\\.com`).test(provider.apiBaseUrl))
      .flatMap((variable) =>
        OTHER_PARTITIONS.filter((region) => validateVariable(variable, region).ok).map(
          (region) => `${entry}: ${region}`,
        ),
      ),
  );
  expect(taken).toEqual([]);
});

it('no example or usual value is one that cannot be used', () => {
  const wrong = everyGrant(builtInCatalog).flatMap(([entry, { variables }]) =>
    variables
      .filter(({ unusable }) => unusable !== undefined)
      .flatMap((variable) =>
        [variable.example, variable.default]
          .filter((value) => value !== undefined && !validateVariable(variable, value).ok)
          .map((value) => `${entry}: ${value}`),
      ),
  );
  expect(wrong).toEqual([]);
});
