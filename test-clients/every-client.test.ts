import { findRefusal } from './provider-apis/stage.ts';
import { CUSTOMERS } from './tried/customers.ts';
import { MESSAGES } from './tried/messages.ts';
import { MODELS } from './tried/models.ts';
import { MONEY } from './tried/money.ts';
import { OFFICE } from './tried/office.ts';
import { readBody, readRefusal, startTriedClients } from './tried/stage.ts';
import { WORK } from './tried/work.ts';

const CLIENTS = [...CUSTOMERS, ...MESSAGES, ...MODELS, ...MONEY, ...OFFICE, ...WORK];

const stage = await startTriedClients(CLIENTS);
afterAll(stage.close);

describe.each(CLIENTS)('$client, unmodified, with the user’s token and the address of the proxy', (tried) => {
  it('makes a call that arrives with the provider’s credential and every character of its body', async () => {
    expect(await tried.call(stage.accessOf(tried))).toMatchObject(Object(tried.result));
    const [arrived, ...others] = stage.callsTo(tried);
    if (arrived === undefined) throw new Error('The call did not arrive');
    expect(others).toEqual([]);
    const [field, value] = tried.credential;
    expect(arrived.headers[field]).toBe(value);
    expect(await readBody(arrived)).toMatchObject(tried.body);
    expect(stage.strayTokens()).toEqual([]);
  });

  it.each([
    ['its token is none', 'token_invalid'],
    ['the user has connected no account', 'connection_not_found'],
  ] as const)(
    'raises its own error, with the gateway’s words where it keeps any, when %s',
    async (_when, expected) => {
      const access = stage.refusedAccessOf(tried, expected);
      const { code, message } = await readRefusal(access);
      expect(code).toBe(expected);
      const error = Object(await findRefusal(tried.call(access)));
      const { textOf = ({ message: text }) => text, hidesTextOf = [] } = tried;
      expect(String(textOf(error))).toEqual(
        hidesTextOf.includes(expected)
          ? expect.not.stringContaining(message)
          : expect.stringContaining(message),
      );
      const names = [error.constructor.name, error.name, error.type];
      if (code === 'token_invalid') expect(names).toContain(tried.error);
    },
  );
});
