import { findSubjectKind, PROJECT_ACTIONS } from '../../src/activity/actions.ts';
import { dashboardTexts } from '../support/dashboard-texts.ts';

async function wordsIn(language: string): Promise<Record<'actions' | 'subjects', Record<string, string>>> {
  return await dashboardTexts(language, 'activity');
}

/** Those of operators alone are on no page. */
const actions = Object.keys(PROJECT_ACTIONS);

describe.each(['en', 'de', 'es'])('the words of the activity log in %s', (language) => {
  it('name every action of a project', async () => {
    const words = await wordsIn(language);
    expect(actions.length).toBeGreaterThan(30);
    expect(actions.filter((action) => !Object.hasOwn(words.actions, action))).toEqual([]);
  });

  it('name everything that an action is about', async () => {
    const words = await wordsIn(language);
    const kinds = new Set(actions.map((action) => findSubjectKind({ action } as never)));
    expect([...kinds].filter((kind) => !Object.hasOwn(words.subjects, kind))).toEqual([]);
  });
});
