import { builtInCatalog } from '../support/built-in-catalog.ts';
import { dashboardTexts } from '../support/dashboard-texts.ts';

const SHARED_BY_MIN = 5;

async function wordsIn(language: 'de' | 'es'): Promise<Readonly<Record<string, string>>> {
  return (await dashboardTexts(language, 'integrations')).setUp.grantWords;
}

/** How many entries use each title and each purpose of a grant. */
function countUses(): Map<string, number> {
  const uses = new Map<string, number>();
  for (const { grants } of builtInCatalog.list()) {
    for (const words of grants.flatMap(({ title, purpose }) => [title, ...(purpose ? [purpose] : [])]))
      uses.set(words, (uses.get(words) ?? 0) + 1);
  }
  return uses;
}

describe('words on grants that many entries share', () => {
  const uses = countUses();
  const common = [...uses].filter(([, count]) => count >= SHARED_BY_MIN).map(([words]) => words);

  it.each(['de', 'es'] as const)('are all there in %s, and none that no entry uses', async (language) => {
    const translated = await wordsIn(language);
    expect(common.filter((words) => !Object.hasOwn(translated, words))).toEqual([]);
    expect(Object.keys(translated).filter((words) => !uses.has(words))).toEqual([]);
  });

  it('are the same in both languages', async () => {
    expect(Object.keys(await wordsIn('de'))).toEqual(Object.keys(await wordsIn('es')));
  });
});
