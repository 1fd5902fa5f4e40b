import { tidyCredential } from '../../src/lib/tidy-credential.ts';

const SECRET = 'aB3-_.~+/=9';

describe('a pasted credential', () => {
  it.each([
    ['as it is', SECRET],
    ['with blanks around', `  ${SECRET}\t`],
    ['with a line end', `${SECRET}\r\n`],
    ['with invisible characters of a web page', `\u200b${SECRET}\u2060\ufeff`],
    ['in double quotes', `"${SECRET}"`],
    ['in single quotes', `'${SECRET}'`],
    ['in the quotes of a word processor', `“${SECRET}”`],
    ['with the name of a settings file', `CLIENT_SECRET=${SECRET}`],
    ['with a provider’s name in it', `HUBSPOT_CLIENT_SECRET='${SECRET}'`],
    ['as a line of a script', `export API_KEY="${SECRET}";`],
    ['as a member of a JSON document', `"client_secret": "${SECRET}",`],
    ['as a line of a page', `Client ID: ${SECRET}`],
    ['with its name in one word', `clientSecret=${SECRET}`],
  ])('%s is what the provider gave', (_what, pasted) => {
    expect(tidyCredential(pasted)).toBe(SECRET);
  });

  it.each([
    'user:password',
    'key-1234=',
    'Endpoint=sb://a.example;SharedAccessKey=abc=',
    '"',
    '""',
    `it's`,
    'a"b"c',
    '{"type":"service_account"}',
    '-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----',
  ])('%j is left alone', (credential) => {
    expect(tidyCredential(credential)).toBe(credential);
  });
});
