import type { LiveCheck } from '../../scripts/check-live.ts';
import {
  keepResults,
  listDiffering,
  listReports,
  readResults,
  writeResults,
} from '../../scripts/live/keep-results.ts';

const answer = (outcome: LiveCheck['outcome'], provider = 'acme'): LiveCheck => ({
  provider,
  check: 'refusal',
  url: 'https://api.acme.example/me',
  outcome,
  detail: 'answers 200 to a wrong credential',
});

/** What is kept after a day for each of these answers. */
function keptAfter(...outcomes: readonly LiveCheck['outcome'][]) {
  return outcomes.reduce(
    (kept, outcome, index) =>
      readResults(writeResults(keepResults(kept, [answer(outcome)], `2026-11-0${index + 1}`))),
    readResults(''),
  );
}
const vendorOf = () => 'acme.example';

describe('the kept results of the daily check', () => {
  it('are a line for each entry, in the order of ids', () => {
    const kept = keepResults([], [answer('ok', 'zeta'), answer('ok', 'acme')], '2026-11-01');
    expect(writeResults(kept).split('\n')).toEqual([
      '{"provider":"acme","asked":"2026-11-01","checks":{"refusal":"ok"}}',
      '{"provider":"zeta","asked":"2026-11-01","checks":{"refusal":"ok"}}',
      '',
    ]);
  });

  it('say since when an answer differs, and ask for it again', () => {
    const kept = keptAfter('ok', 'differs', 'differs');
    expect(kept).toMatchObject([{ asked: '2026-11-03', since: '2026-11-02', days: 2 }]);
    expect(listDiffering(kept)).toEqual(['acme']);
    expect(listReports(kept, vendorOf)).toEqual([]);
  });

  it('are reported once for a vendor after three days in a row', () => {
    const kept = keptAfter('differs', 'differs', 'differs');
    const other = { ...kept[0], provider: 'acme-two', asked: '2026-11-03', checks: {} };
    expect(listReports([...kept, other], vendorOf)).toMatchObject([
      { title: 'Catalog: facts of acme.example differ', body: expect.stringContaining('acme-two') },
    ]);
  });

  it('begin to count again where it agreed in between, and not where nobody answered', () => {
    expect(keptAfter('differs', 'differs', 'ok', 'differs')).toMatchObject([
      { days: 1, since: '2026-11-04' },
    ]);
    expect(keptAfter('differs', 'differs', 'unreachable', 'differs')).toMatchObject([
      { days: 3, since: '2026-11-01' },
    ]);
  });

  it('count a day once, however often it was asked', () => {
    const twice = keepResults(keptAfter('differs'), [answer('differs')], '2026-11-01');
    expect(twice).toMatchObject([{ days: 1 }]);
  });
});
