import { parseJsonBody } from '../../src/http/json-body.ts';
import { longestTurnMs } from '../support/event-loop.ts';

const MIB = 1024 * 1024;
const parse = (text: string) => parseJsonBody(Buffer.from(text), 'application/json');

describe('a long body', () => {
  it.each([
    ['brackets', '['.repeat(MIB / 2) + ']'.repeat(MIB / 2)],
    ['objects in objects', `${'{"a":'.repeat(MIB / 6)}1${'}'.repeat(MIB / 6)}`],
    ['empty objects', `[${'{},'.repeat(MIB / 3)}1]`],
    ['members', `{${Array.from({ length: 90_000 }, (_, at) => `"k${at}":1`).join(',')}}`],
  ])('of %s is refused within 20 ms', async (_name, text) => {
    const refuse = async () =>
      expect(() => parse(text)).toThrow(/nested too deeply|has more than 10000 members/);
    await refuse();
    expect(await longestTurnMs(refuse)).toBeLessThan(20);
  });

  it.each([
    ['elements', Array.from({ length: 10_000 }, () => 'a'.repeat(20))],
    ['members', Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`k${at}`, 'a'.repeat(20)]))],
    ['lists without elements', ['a'.repeat(MIB), ...Array.from({ length: 9_999 }, () => [])]],
  ])('may have as many %s as a short one', (_name, value) => {
    expect(parse(JSON.stringify(value))).toEqual(value);
  });
});
