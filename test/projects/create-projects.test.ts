import { startRooms, type TestRooms } from '../support/rooms.ts';
import { insertProject } from '../support/rows.ts';

const ORIGIN = 'https://app.example';

let stage: TestRooms;
let projectId: string;
beforeAll(async () => {
  stage = await startRooms();
});
afterAll(() => stage?.stop());
beforeEach(async () => {
  projectId = await insertProject(stage.db);
});

const allow = (allowedOrigins: string[]) =>
  stage.rooms.identity.projects.update(stage.db, projectId, { allowedOrigins });

describe('the rules of a project', () => {
  it('are kept in memory until a change of the project is announced', async () => {
    const { isAllowed } = stage.rooms.identity.rules;
    stage.changes.handleNoticesRestored();
    expect(await isAllowed(projectId, ORIGIN)).toBe(false);
    await allow([ORIGIN]);
    expect(await isAllowed(projectId, ORIGIN)).toBe(false);
    stage.changes.announce({ table: 'projects', projectId });
    expect(await isAllowed(projectId, ORIGIN)).toBe(true);
  });

  it('are read again after notices were lost', async () => {
    const { isAllowed } = stage.rooms.identity.rules;
    stage.changes.handleNoticesRestored();
    expect(await isAllowed(projectId, ORIGIN)).toBe(false);
    await allow([ORIGIN]);
    stage.changes.handleNoticesRestored();
    expect(await isAllowed(projectId, ORIGIN)).toBe(true);
  });
});
