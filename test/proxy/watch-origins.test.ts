import { watchOrigins } from '../../src/proxy/watch-origins.ts';

const PROJECT = 'project-1';
const ORIGIN = 'https://app.example';

type Answer = boolean | Promise<boolean>;

/** The answer of a watched rule, and what was reported until it was there. */
async function watch(answer: Answer) {
  const refused: string[] = [];
  const isAllowed = watchOrigins(
    () => answer,
    (projectId, origin) => refused.push(`${projectId} ${origin}`),
  );
  const given = isAllowed(PROJECT, ORIGIN);
  const settled = await Promise.resolve(given).catch((error: Error) => error.message);
  return { given, settled, refused };
}

describe('an origin of a caller', () => {
  const cases: readonly [title: string, answer: () => Answer, settled: boolean, refused: string[]][] = [
    ['that is allowed is not reported', () => true, true, []],
    ['that is refused is reported', () => false, false, [`${PROJECT} ${ORIGIN}`]],
    ['that turns out to be allowed is not reported', async () => true, true, []],
    ['that turns out to be refused is reported', async () => false, false, [`${PROJECT} ${ORIGIN}`]],
  ];
  it.each(cases)('%s', async (_title, answer, settled, refused) => {
    expect(await watch(answer())).toMatchObject({ settled, refused });
  });

  it('is answered by the rule itself, at once where the rule knows', async () => {
    const later = Promise.resolve(true);
    expect((await watch(true)).given).toBe(true);
    expect((await watch(later)).given).toBe(later);
  });

  it('of which the rules cannot be read is not reported', async () => {
    const failing = Promise.reject(new Error('the store is away'));
    expect(await watch(failing)).toMatchObject({ settled: 'the store is away', refused: [] });
  });
});
