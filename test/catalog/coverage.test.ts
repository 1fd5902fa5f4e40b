import { COVERAGE } from '../../scripts/coverage.ts';
import { builtInCatalog } from '../support/built-in-catalog.ts';
import { MOST_WANTED } from './most-wanted.ts';

const alive = builtInCatalog.list().filter(({ status }) => status !== 'ended');

/** Shares, in percent, that an entry may not be taken into the catalog below. */
const FLOORS: Readonly<Record<string, number>> = {
  'who is connected': 70,
  'who is connected, where users connect': 72,
  'the same as the provider tells it, and not as it was typed': 52,
  'a request that proves the credential': 74,
  'a request that proves it, or why there is none': 80,
  'webhooks that are received and verified, of those that have webhooks': 62,
  'three or more set-up steps': 86,
  'further hosts': 10,
  'further hosts, a variable in the host, or a source that says there is one host': 46,
};

function shareOf({ of = () => true, has }: (typeof COVERAGE)[number], entries = alive): number {
  const asked = entries.filter(of);
  return (100 * asked.filter(has).length) / asked.length;
}

describe('of what users look for, the catalog has no less than before', () => {
  it.each(COVERAGE.map((one) => [one.what, one] as const))('%s', (what, one) => {
    expect(shareOf(one)).toBeGreaterThanOrEqual(FLOORS[what] ?? 100);
  });

  it('and more of it in the most wanted', () => {
    const wanted = alive.filter(({ id }) => MOST_WANTED.includes(id));
    expect(COVERAGE.filter((one) => shareOf(one, wanted) < shareOf(one))).toEqual([]);
  });
});
