import { listFileUrls } from '../../src/catalog/facts/file-urls.ts';
import { createStandIns, sampleVariables } from '../../src/catalog/facts/placeholders.ts';
import { resolveUrl, validateVariable } from '../../src/catalog/facts/resolve-url.ts';
import { acmeProvider } from '../support/acme-provider.ts';
import { builtInCatalog } from '../support/built-in-catalog.ts';
import { everyGrant } from '../support/every-grant.ts';
import { ODD_VALUES } from '../support/odd-values.ts';

const catalog = builtInCatalog;

/** Values that the variable takes though an address of its provider, all else being well, does not. */
function accepted(provider: ReturnType<typeof acmeProvider>): string[] {
  const samples = { ...sampleVariables(provider, createStandIns()).values, clientId: 'client' };
  return provider.variables.flatMap((variable) => {
    const addresses = listFileUrls(provider).filter(([, url]) => url.includes(`{${variable.name}}`));
    return ODD_VALUES.filter((value) => validateVariable(variable, value).ok).flatMap((value) =>
      addresses
        .filter(([, url]) => !resolveUrl(url, provider, { ...samples, [variable.name]: value }).ok)
        .map(([field, url]) => `${variable.name}=${value} in ${field} ${url}`),
    );
  });
}

const withVariables = everyGrant(catalog).filter(([, { variables }]) => variables.length > 0);

it.each(withVariables)('%s takes no value that its addresses would not take', (_id, provider) => {
  expect(accepted(provider)).toEqual([]);
});

it.each([
  ['https://{v}.acme.example/authorize', false],
  ['https://api-{v}.acme.example/authorize', false],
  ['https://accounts.acme.{v}/authorize', false],
  ['https://{v}/authorize', true],
  ['https://{v}/authorize', false],
  ['{v}/authorize', true],
  ['{v}/authorize', false],
  ['https://acme.example:{v}/authorize', false],
  ['https://acme.example/{v}/authorize', false],
  ['https://acme.example/v{v}', false],
  ['https://acme.example/authorize?at={v}', false],
  ['https://acme.example/#/authorize/{v}', false],
])('neither does a variable of %s (private networks: %j)', (authorizationUrl, allowPrivateNetworks) => {
  const variables = { v: { from: 'user' } };
  expect(accepted(acmeProvider({ authorizationUrl, variables }, allowPrivateNetworks))).toEqual([]);
});
