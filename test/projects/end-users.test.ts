import { newId } from '../../src/lib/ids.ts';
import { createEndUsers } from '../../src/projects/end-users.store.ts';
import { waitForLockQueue } from '../support/postgres.ts';
import { addProject, readProblemCode, startProjects } from './support.ts';

const { management, project, theirs, send } = await startProjects();
afterAll(management.drop);

describe('end users', () => {
  const path = (query = '') => `/projects/${project.id}/users${query}`;

  it('keep one id per project and subject, whichever process asks first', async () => {
    // Two replicas with nothing in memory, several calls each at the same time.
    const replicas = [createEndUsers(management), createEndUsers(management)];
    const asked = Array.from({ length: 8 }, (_, index) =>
      replicas[index % 2]?.endUserId(project.id, 'raced'),
    );
    const ids = new Set(await Promise.all(asked));
    expect(ids.size).toBe(1);
    expect(await management.endUsers.endUserId(theirs.id, 'raced')).not.toBe([...ids][0]);
    expect(await management.endUsers.endUserId(project.id, 'Raced')).not.toBe([...ids][0]);
  });

  it('that are known need no store', async () => {
    const id = await management.endUsers.endUserId(project.id, 'known');
    await management.db('end_users').where({ id }).update({ subject: 'renamed by hand' });
    expect(await management.endUsers.endUserId(project.id, 'known')).toBe(id);
  });

  it('of a missing project are refused', async () => {
    await expect(management.endUsers.endUserId(newId(), 'u')).rejects.toMatchObject({
      code: 'project_not_found',
    });
  });

  it('wait for each other when locked', async () => {
    const id = await management.endUsers.endUserId(project.id, 'locked');
    const order: string[] = [];
    let second: Promise<void> | undefined;
    await management.db.transaction(async (trx) => {
      await management.endUsers.lockEndUser(trx, project.id, id);
      second = management.db.transaction(async (other) => {
        await management.endUsers.lockEndUser(other, project.id, id);
        order.push('second');
      });
      await waitForLockQueue(trx, management.db);
      order.push('first');
    });
    await second;
    expect(order).toEqual(['first', 'second']);
  });

  it('are mapped both ways, to operators and keys of their project', async () => {
    const id = await management.endUsers.endUserId(project.id, 'customer 17/ü');
    const expected = { id, userId: 'customer 17/ü', createdAt: expect.stringMatching(/Z$/) };
    for (const credential of [project.owner.token, project.apiKey]) {
      const bySubject = await send('get', path(`?userId=${encodeURIComponent('customer 17/ü')}`), credential);
      expect(bySubject.body).toEqual({ users: [expected], nextCursor: null });
      const byId = await send('get', path(`?integrationUserId=${id}`), credential).expect(200);
      expect(byId.body.users).toEqual([expected]);
    }
  });

  it('are listed newest first, page by page, those of their project only', async () => {
    const own = await addProject(management);
    for (const subject of ['a', 'b', 'c']) await management.endUsers.endUserId(own.id, subject);
    await management.endUsers.endUserId(theirs.id, 'foreign');
    const first = await send('get', `/projects/${own.id}/users?limit=2`, own.apiKey).expect(200);
    const next = `/projects/${own.id}/users?limit=2&cursor=${first.body.nextCursor}`;
    const second = await send('get', next, own.apiKey).expect(200);
    const subjects = [...first.body.users, ...second.body.users].map(
      (user: { userId: string }) => user.userId,
    );
    expect(subjects).toEqual(['c', 'b', 'a']);
  });

  it('of others look as if they did not exist', async () => {
    const id = await management.endUsers.endUserId(theirs.id, 'secret customer');
    const foreign = `/projects/${theirs.id}/users`;
    for (const credential of [project.owner.token, project.apiKey]) {
      expect(await send('get', foreign, credential).then(readProblemCode)).toBe('404 project_not_found');
      const reply = await send('get', path(`?integrationUserId=${id}`), credential).expect(200);
      expect(reply.body.users).toEqual([]);
    }
    await send('get', path()).expect(401);
    expect(await send('get', path(), `user:${project.id}:u`).then(readProblemCode)).toBe(
      '403 forbidden_principal',
    );
  });

  it.each(['?userId=%00', '?userId=', '?integrationUserId=17', '?limit=0', '?cursor=x', '?user=a'])(
    'are not searched with %s',
    async (query) => {
      expect(await send('get', path(query), project.apiKey).then(readProblemCode)).toBe(
        '400 invalid_request',
      );
    },
  );
});
