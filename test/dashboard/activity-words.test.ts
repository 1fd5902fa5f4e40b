import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findSubjectKind } from '../../src/activity/actions.ts';
import { dashboardTexts } from '../support/dashboard-texts.ts';

const CHANGES = join(import.meta.dirname, '../../src/activity/actions.ts');

async function wordsIn(language: string): Promise<Record<'actions' | 'subjects', Record<string, string>>> {
  return await dashboardTexts(language, 'activity');
}

/** Every action of a project, from the type that lists them. Those of operators alone are on no page. */
function actionsOfProjects(): string[] {
  const [, ofProjects = ''] = readFileSync(CHANGES, 'utf8').split('type ProjectChanges = {');
  const [members = ''] = ofProjects.split('\n};');
  return [...members.matchAll(/^ {2}'([a-z_]+\.[a-z_]+)':/gm)].map(([, action = '']) => action);
}

const actions = actionsOfProjects();

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
