import { type Attack, createAttacks, isLetPass } from '../support/mandate-attacks.ts';
import { judgeAttacks, sendAttacks } from '../support/mandate-fuzzer.ts';

/** `npm run fuzz:mandates` has a hundred thousand, and other seeds. */
const SEED = 20_261_126;

it('no call outside of a mandate passes the rule', () => {
  expect(judgeAttacks(SEED, 60_000)).toEqual([]);
});

it('no call outside of a mandate reaches the provider', async () => {
  const { reached, answers } = await sendAttacks(SEED + 1, 2_400);
  expect(reached).toEqual([]);
  // Most are refused by the mandate, and the rest by the form of their path.
  expect(answers.get('mandate_denied')).toBeGreaterThan(1_600);
});

it('the calls are those of a seed', () => {
  expect([...createAttacks(7, 200)]).toEqual([...createAttacks(7, 200)]);
});

it('calls within a mandate pass the same rule', () => {
  const json = { fields: ['Content-Type: application/json'] };
  const good: Omit<Attack, 'family'>[] = [
    { mandate: 'readContacts', method: 'GET', path: '/contacts/1?a=1', fields: [], body: undefined },
    { mandate: 'patchContacts', method: 'PATCH', path: '/contacts/1', ...json, body: '{}' },
    { mandate: 'readAll', method: 'POST', path: '/contacts/search', ...json, body: '{}' },
    { mandate: 'readAll', method: 'POST', path: '/graphql', ...json, body: '{"query":"{a}"}' },
    { mandate: 'readAll', method: 'GET', path: '/graphql?query=%7Ba%7D', fields: [], body: undefined },
    {
      mandate: 'readAll',
      method: 'POST',
      path: '/mcp',
      ...json,
      body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
    },
    { mandate: 'postAll', method: 'POST', path: '/contacts', ...json, body: '{}' },
  ];
  expect(good.filter((call) => !isLetPass({ family: 'good', ...call }))).toEqual([]);
});
