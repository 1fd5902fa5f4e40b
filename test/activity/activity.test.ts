import { recordActivity } from '../../src/activity/activity.store.ts';
import { codeOf, startProjects } from '../projects/support.ts';

type Entry = { action: string; projectId: string | null; subjectId: string };

const { management, project, theirs, send } = await startProjects();
afterAll(management.drop);

describe('the audit log', () => {
  const read = async (credential: string, query = ''): Promise<Entry[]> =>
    (await send('get', `/activity${query}`, credential).expect(200)).body.activity;

  it('tells who did what, newest first', async () => {
    const reply = await send('get', '/activity', project.owner.token).expect(200);
    expect(reply.body.activity).toMatchObject([{ action: 'api_key.created' }, { action: 'project.created' }]);
    expect(reply.body.activity[1]).toEqual({
      id: expect.any(String),
      projectId: project.id,
      actorKind: 'operator',
      actorId: project.owner.id,
      action: 'project.created',
      subjectKind: 'project',
      subjectId: project.id,
      details: { name: 'Project' },
      createdAt: expect.stringMatching(/Z$/),
    });
  });

  it('shows a key its own project, with what the key itself did', async () => {
    await send('patch', `/projects/${project.id}`, project.apiKey, { name: 'By key' }).expect(200);
    const [latest] = await read(project.apiKey);
    expect(latest).toMatchObject({
      action: 'project.updated',
      actorKind: 'api_key',
      details: { fields: ['name'] },
    });
  });

  it('is filtered by project, action and subject, and paged', async () => {
    expect(await read(project.owner.token, '?action=api_key.created')).toHaveLength(1);
    expect(await read(project.owner.token, `?subjectId=${project.id}&action=project.created`)).toHaveLength(
      1,
    );
    expect(await read(project.owner.token, `?projectId=${project.id}`)).toEqual(
      await read(project.owner.token),
    );
    const page = await send('get', '/activity?limit=1', project.owner.token).expect(200);
    const rest = await send('get', `/activity?cursor=${page.body.nextCursor}`, project.owner.token).expect(
      200,
    );
    expect([...page.body.activity, ...rest.body.activity]).toEqual(await read(project.owner.token));
  });

  it('shows nothing of another project, whatever the filter', async () => {
    for (const credential of [project.owner.token, project.apiKey]) {
      expect(await read(credential, `?projectId=${theirs.id}`)).toEqual([]);
      expect(await read(credential, `?subjectId=${theirs.id}`)).toEqual([]);
      expect((await read(credential)).every(({ projectId }) => projectId === project.id)).toBe(true);
    }
  });

  it('shows what belongs to no project to whoever did it only', async () => {
    const made = await send('post', '/personal-access-tokens', theirs.owner.token, { name: 'n' }).expect(201);
    const query = `?subjectId=${made.body.id}`;
    expect(await read(theirs.owner.token, query)).toMatchObject([
      { action: 'personal_access_token.created' },
    ]);
    expect(await read(project.owner.token, query)).toEqual([]);
    expect(await read(theirs.apiKey, query)).toEqual([]);
  });

  it('keeps nothing of a change that is taken back', async () => {
    const before = await read(project.owner.token);
    const work = management.db.transaction(async (trx) => {
      await recordActivity(trx, {
        projectId: project.id,
        actor: { kind: 'gateway' },
        action: 'test.undone',
        subjectKind: 'test',
        subjectId: null,
        details: {},
      });
      throw new Error('taken back');
    });
    await expect(work).rejects.toThrow('taken back');
    expect(await read(project.owner.token)).toEqual(before);
  });

  it('is for operators and keys', async () => {
    await send('get', '/activity').expect(401);
    expect(await send('get', '/activity', `user:${project.id}:u`).then(codeOf)).toBe(
      '403 forbidden_principal',
    );
  });

  it.each(['?action=%00', '?subjectId=1', '?projectId=x', '?actor=me'])('refuses %s', async (query) => {
    expect(await send('get', `/activity${query}`, project.apiKey).then(codeOf)).toBe('400 invalid_request');
  });
});
