import { listPlaceholders } from '../../src/lib/template.ts';
import { builtInCatalog } from '../support/built-in-catalog.ts';
import { everyGrant } from '../support/every-grant.ts';

const methods = everyGrant(builtInCatalog);
type Method = (typeof methods)[number][1];

const addressesOf = ({ authorizationUrl, tokenUrl, refreshUrl, apiBaseUrl, probe, hosts }: Method) =>
  [
    authorizationUrl,
    tokenUrl,
    refreshUrl,
    apiBaseUrl,
    probe?.url,
    ...Object.values(hosts).map(({ url }) => url),
  ].flatMap((url) => url ?? []);

const TEST_WORDS = /(^|[.-])(dev|develop|staging|stage|test|uat|qa|preprod)([.-])/;
/** Hosts that are live although their names say otherwise. */
const LIVE = ['dev.azure.com', 'dev.dixa.io'];

it('no live entry goes to a test server', () => {
  const strays = methods.flatMap(([name, method]) => {
    const isForTests = /sandbox|test|staging|preproduction|demo|develop/i.test(`${name} ${method.name}`);
    const hosts = addressesOf(method).map((url) => /^https:\/\/([^/:?]+)/.exec(url)?.[1] ?? '');
    const found = hosts.filter(
      (host) => TEST_WORDS.test(host) && !LIVE.some((live) => `.${host}`.endsWith(`.${live}`)),
    );
    return isForTests || found.length === 0 ? [] : [`${name}: ${found[0]}`];
  });
  expect(strays).toEqual([]);
});

it('no region, zone or server has the name of a company as its example', () => {
  const misleading = methods.flatMap(([name, { variables }]) =>
    variables
      .filter((one) =>
        /region|zone|data ?cent|cluster|shard|location/i.test(`${one.name} ${one.title ?? ''}`),
      )
      .filter(({ options, example }) => options === undefined && example === 'acme')
      .map((one) => `${name}: ${one.name}`),
  );
  expect(misleading).toEqual([]);
});

it('every parameter of an authorization that has to be fresh is', () => {
  const constant = methods
    .filter(([, { authorizationParams }]) =>
      ['nonce', 'state'].some((name) => !(authorizationParams[name] ?? '{nonce}').includes('{')),
    )
    .map(([name]) => name);
  expect(constant).toEqual([]);
});

it('nothing is left of the code that a description came from', () => {
  const text = methods.map(
    ([name, method]) => [name, JSON.stringify({ ...method, notes: [], quirks: [] })] as const,
  );
  expect(text.filter(([, one]) => /\$\{|\} \|\| /.test(one)).map(([name]) => name)).toEqual([]);
});

it('who is connected is not told by what all accounts of a region share', () => {
  const shared = methods.flatMap(([name, { account, variables }]) => {
    if (account?.id.from !== 'variable') return [];
    const paths = [account.id.path].flat();
    const isShared = paths.every((path) => {
      const found = variables.find((one) => one.name === path);
      return found?.options !== undefined || (found?.default !== undefined && found.secret === false);
    });
    return isShared ? [name] : [];
  });
  expect(shared).toEqual([]);
});

/** Products that keep their accounts at a domain of their own. */
const ELSEWHERE = new Set(['harvest (personal-access-token)']);

it('a probe is sent to where the credential is for', () => {
  const astray = methods.flatMap(([name, method]) => {
    const url = method.probe?.url ?? method.account?.request?.url;
    if (url === undefined || (method.auth !== 'api-key' && method.auth !== 'basic')) return [];
    const domainOf = (address: string) =>
      /^https:\/\/([^/:?]+)/.exec(address)?.[1]?.split('.').slice(-2).join('.') ?? address.split('/')[0];
    const homes = [method.apiBaseUrl, ...Object.values(method.hosts).map((host) => host.url)].map(domainOf);
    return homes.includes(domainOf(url)) || ELSEWHERE.has(name) ? [] : [`${name}: ${url}`];
  });
  expect(astray).toEqual([]);
});

it('every placeholder of an address is a variable', () => {
  const unknown = methods.flatMap(([name, method]) =>
    addressesOf(method)
      .flatMap(listPlaceholders)
      .filter((one) => one !== 'clientId' && !method.variables.some((variable) => variable.name === one))
      .map((one) => `${name}: ${one}`),
  );
  expect(unknown).toEqual([]);
});
