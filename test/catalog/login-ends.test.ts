import { isLoginKind } from '../../src/catalog/facts/login-kinds.ts';
import { listAuthMethods } from '../../src/catalog/schema/provider-auth-methods.ts';
import { listPlaceholders } from '../../src/lib/template.ts';
import { builtInCatalog } from '../support/built-in-catalog.ts';

const grants = builtInCatalog.list().flatMap((entry) => listAuthMethods(entry));
const nameOf = ({ id, grant }: { id: string; grant: string | null }) => `${id} ${grant ?? ''}`.trim();

it.each(
  grants.filter(({ callRefused }) => callRefused !== undefined).map((one) => [nameOf(one), one] as const),
)(
  'what refuses a credential in an answer is no word for "later" or for a lack of rights: %s',
  (_name, { callRefused }) => {
    for (const value of callRefused?.values ?? [])
      expect(value).not.toMatch(/rate|limit|permission|scope|forbidden|access_?denied|later|busy/i);
  },
);

it('what a log-in tells and an address of a call needs is kept as a variable', () => {
  const lacking = grants
    .filter(({ auth }) => isLoginKind(auth))
    .flatMap((provider) => {
      const urls = [provider.apiBaseUrl, ...Object.values(provider.hosts).map(({ url }) => url)];
      const known = new Set(provider.variables.map(({ name }) => name));
      return urls.flatMap(listPlaceholders).some((name) => !known.has(name)) ? [nameOf(provider)] : [];
    });
  expect(lacking).toEqual([]);
});
