import type { Change } from '../../src/activity/actions.ts';
import { listActivity } from '../../src/activity/activity.store.ts';
import { createActivity } from '../../src/activity/create-activity.ts';
import { newId } from '../../src/lib/ids.ts';
import type { Notice } from '../../src/platform/change-notices.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { runChore } from '../support/rooms.ts';
import { insertProject } from '../support/rows.ts';

let database: TestDatabase;
let projectId: string;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database?.drop());
beforeEach(async () => {
  projectId = await insertProject(database.knex);
});

/** An audit log; what it announces is in `notices`. */
function start() {
  const notices: Notice[] = [];
  const announce = (notice: Notice) => void notices.push(notice);
  return { ...createActivity({ db: database.knex, keepDays: 30, announce }), notices };
}

const buildChange = (): Change => ({
  actor: { kind: 'gateway' },
  action: 'event_destination.disabled',
  projectId,
  subjectId: newId(),
  details: { reason: 'gone' },
});

const listActions = async () =>
  (await listActivity(database.knex, { projectIds: [projectId], limit: 10 })).map(({ action }) => action);

const readName = async () => (await database.knex('projects').where({ id: projectId }).first('name')).name;

describe('the audit log', () => {
  it('calls each listener in the transaction of the change, one after the other', async () => {
    const { recordActivity, onRecorded } = start();
    const heard: unknown[] = [];
    const change = buildChange();
    onRecorded(async (trx, changes) => {
      heard.push([await trx('activity').where({ project_id: projectId }).pluck('action'), changes]);
      heard.push(await listActions());
    });
    onRecorded(() => void heard.push('second'));
    await database.knex.transaction((trx) => recordActivity(trx, change));
    // The change is there for who is in the transaction, and for nobody else yet.
    expect(heard).toEqual([[[change.action], [change]], [], 'second']);
    expect(await listActions()).toEqual([change.action]);
  });

  it('is undone by a listener that fails, with the change itself and without a notice', async () => {
    const { recordActivity, onRecorded, notices } = start();
    onRecorded(() => Promise.reject(new Error('the listener failed')));
    const before = await readName();
    const changing = database.knex.transaction(async (trx) => {
      await trx('projects').where({ id: projectId }).update({ name: 'Changed' });
      const update = {
        action: 'project.updated',
        subjectId: projectId,
        details: { fields: ['name'] },
      } as const;
      await recordActivity(trx, { ...update, actor: { kind: 'gateway' }, projectId });
    });
    await expect(changing).rejects.toThrow('the listener failed');
    expect([await readName(), await listActions(), notices]).toEqual([before, [], []]);
  });

  it('announces what changed once the transaction has committed', async () => {
    const { recordActivity, notices } = start();
    await database.knex.transaction(async (trx) => {
      const update = {
        action: 'project.updated',
        subjectId: projectId,
        details: { fields: ['name'] },
      } as const;
      await recordActivity(trx, { ...update, actor: { kind: 'gateway' }, projectId });
      expect(notices).toEqual([]);
    });
    expect(notices).toContainEqual(expect.objectContaining({ table: 'projects', projectId }));
  });

  it('keeps entries as long as it is told', async () => {
    const { recordActivity, chores } = start();
    await recordActivity(database.knex, buildChange());
    await runChore(chores, 'old activity');
    expect(await listActions()).toHaveLength(1);
    const early = createActivity({ db: database.knex, keepDays: -1, announce: () => undefined });
    await runChore(early.chores, 'old activity');
    expect(await listActions()).toEqual([]);
  });
});
