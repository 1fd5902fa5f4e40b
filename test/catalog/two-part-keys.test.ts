import { builtInCatalog } from '../support/built-in-catalog.ts';

const keyed = [...builtInCatalog.list()].filter(({ auth }) => auth === 'api-key');

function textsBeside({ apiHeaders, apiQuery }: (typeof keyed)[number]): string {
  return JSON.stringify([apiHeaders, apiQuery]);
}

it('no key stands beside the client of an integration that has none', () => {
  const leaning = keyed.filter((provider) => /\{client(Id|Secret)\}/.test(textsBeside(provider)));
  expect(leaning.map(({ id }) => id)).toEqual([]);
});

it('whoever is asked for a secret reads that it is one', () => {
  const isSecret = ({ apiKey }: (typeof keyed)[number]) =>
    /secret/i.test(apiKey?.name ?? '') || /\{(?!apiKey)\w+\}:?\{apiKey\}/.test(apiKey?.template ?? '');
  const misnamed = keyed.filter(
    (provider) => isSecret(provider) && !/secret/i.test(provider.credentialHint ?? ''),
  );
  expect(misnamed.map(({ id }) => id)).toEqual([]);
});

/** Headers by which a vendor knows the program that calls, whose users cannot know its name. */
const NAMES_THE_CALLER = /^(user-agent|x-[a-z]+-(client|partner-id|app-id))$/i;

it('the name of the calling application is not asked of its users', () => {
  const asked = [...builtInCatalog.list()].flatMap(({ id, apiHeaders, variables }) => {
    const naming = Object.entries(apiHeaders).filter(([name]) => NAMES_THE_CALLER.test(name));
    return variables
      .filter(({ from, name }) => from === 'user' && naming.some(([, text]) => text.includes(`{${name}}`)))
      .map(({ name }) => `${id}: ${name}`);
  });
  expect(asked).toEqual([]);
});
