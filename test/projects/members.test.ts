import { waitForLockQueue } from '../support/postgres.ts';
import {
  addMember,
  addOperator,
  addProject,
  type OwnProject,
  readProblemCode,
  startProjects,
} from './support.ts';

const { management, theirs, send } = await startProjects();
afterAll(management.drop);

let project: OwnProject;
beforeEach(async () => {
  project = await addProject(management);
});

const OWN = '/operators/me/invitations';

describe('members', () => {
  const path = (operatorId?: string) =>
    `/projects/${project.id}/members${operatorId === undefined ? '' : `/${operatorId}`}`;

  it('are invited by e-mail address in any case, and get in, and are listed, once they accept', async () => {
    const person = await addOperator(management);
    const body = { email: person.email.toUpperCase(), role: 'viewer' };
    const added = await send('post', path(), project.owner.token, body).expect(201);
    const wire = {
      operatorId: person.id,
      email: person.email,
      name: null,
      role: 'viewer',
      emailVerified: true,
      otpEnabled: false,
      liveApiKeys: 0,
      liveSigningKeys: 0,
      createdAt: expect.any(String),
    };
    expect(added.body).toEqual({ ...wire, status: 'invited' });
    await send('get', `/projects/${project.id}`, person.token).expect(404);
    const [own] = (await send('get', OWN, person.token).expect(200)).body.invitations;
    expect(own).toEqual({
      id: expect.any(String),
      project: { id: project.id, name: 'Project' },
      role: 'viewer',
      invitedBy: { email: project.owner.email, name: null },
      createdAt: expect.any(String),
      expiresAt: expect.any(String),
    });
    const accepted = await send('post', `${OWN}/${own.id}/accept`, person.token).expect(200);
    expect(accepted.body).toEqual({ ...wire, status: 'member' });
    const list = await send('get', path(), person.token).expect(200);
    expect(list.body.members).toMatchObject([
      { operatorId: person.id, role: 'viewer', status: 'member' },
      { operatorId: project.owner.id, role: 'owner' },
    ]);
    await send('get', `/projects/${project.id}`, person.token).expect(200);
    await send('post', `${OWN}/${own.id}/accept`, person.token).expect(404);
    expect((await send('get', OWN, person.token)).body.invitations).toEqual([]);
  });

  it('to be find nothing of their own changed until they accept, also what they call without a project', async () => {
    const victim = await addProject(management);
    const usual = () => send('get', '/projects', victim.owner.token).then(({ body }) => body);
    const before = await usual();
    for (const made of [path(), `/projects/${project.id}/invitations`]) {
      await send('post', made, project.owner.token, { email: victim.owner.email, role: 'admin' }).expect(201);
      expect(await usual()).toEqual(before);
      const named = await management.access.projectToRead(
        { kind: 'operator', operatorId: victim.owner.id },
        undefined,
      );
      expect(named).toBe(victim.id);
    }
    const refused = await send('delete', path(victim.owner.id), project.owner.token);
    expect(readProblemCode(refused)).toBe('404 not_found');
  });

  it('to be may decline, and see no invitation of another address', async () => {
    const person = await addOperator(management);
    const body = { email: person.email, role: 'viewer' };
    await send('post', path(), project.owner.token, body).expect(201);
    const [own] = (await send('get', OWN, person.token)).body.invitations;
    for (const other of [project.owner, theirs.owner]) {
      expect((await send('get', OWN, other.token)).body.invitations).toEqual([]);
      await send('post', `${OWN}/${own.id}/accept`, other.token).expect(404);
      await send('delete', `${OWN}/${own.id}`, other.token).expect(404);
    }
    await send('delete', `${OWN}/${own.id}`, person.token).expect(204);
    await send('post', `${OWN}/${own.id}/accept`, person.token).expect(404);
    const open = await send('get', `/projects/${project.id}/invitations`, project.owner.token);
    expect(open.body.invitations).toEqual([]);
    const log = await send('get', `/activity?projectId=${project.id}`, project.owner.token).expect(200);
    expect(log.body.activity[0]).toMatchObject({ action: 'invitation.declined', details: body });
  });

  it('are not listed as invited where the address is not verified: its account may be a stranger’s', async () => {
    const person = await addOperator(management);
    await send('post', path(), project.owner.token, { email: person.email, role: 'viewer' }).expect(201);
    const [own] = (await send('get', OWN, person.token)).body.invitations;
    await management.db('operators').where({ id: person.id }).update({ email_verified_at: null });
    expect((await send('get', OWN, person.token)).body.invitations).toEqual([]);
    await send('post', `${OWN}/${own.id}/accept`, person.token).expect(404);
    await send('delete', `${OWN}/${own.id}`, person.token).expect(404);
  });

  it('are paged without repeats', async () => {
    await addMember(management, project, 'admin');
    await addMember(management, project, 'viewer');
    const seen: string[] = [];
    let query = '?limit=1';
    for (let pages = 0; pages < 3; pages += 1) {
      const { body } = await send('get', path() + query, project.owner.token).expect(200);
      seen.push(...body.members.map(({ role }: { role: string }) => role));
      query = `?limit=1&cursor=${body.nextCursor}`;
    }
    expect(seen).toEqual(['viewer', 'admin', 'owner']);
  });

  it('are found one by one, however many there are', async () => {
    const admin = await addMember(management, project, 'admin');
    const outsider = await addOperator(management);
    const found = async (operatorId: string) =>
      (await send('get', `${path()}?limit=1&operatorId=${operatorId}`, admin.token).expect(200)).body;
    const owner = { operatorId: project.owner.id, role: 'owner' };
    expect(await found(project.owner.id)).toMatchObject({ members: [owner], nextCursor: null });
    expect(await found(project.owner.id.toUpperCase())).toMatchObject({ members: [owner] });
    expect(await found(outsider.id)).toEqual({ members: [], nextCursor: null });
    const refused = await send('get', `${path()}?operatorId=me`, admin.token).expect(400);
    expect(refused.body.errors).toMatchObject([{ path: 'query.operatorId' }]);
  });

  it('are not added twice, and strangers to the gateway not at all', async () => {
    const admin = await addMember(management, project, 'admin');
    for (const email of [admin.email, 'nobody@example.test', 'no address']) {
      const refused = await send('post', path(), project.owner.token, { email, role: 'viewer' });
      expect(readProblemCode(refused)).toBe('400 invalid_request');
      expect(refused.body.errors).toMatchObject([{ path: 'body.email' }]);
    }
    await send('post', path(), project.owner.token, { email: admin.email, role: 'king' }).expect(400);
  });

  it('of other projects are out of reach, also for an owner', async () => {
    const foreign = `/projects/${theirs.id}/members`;
    const body = { email: project.owner.email, role: 'owner' };
    expect(await send('get', foreign, project.owner.token).then(readProblemCode)).toBe(
      '404 project_not_found',
    );
    expect(await send('post', foreign, project.owner.token, body).then(readProblemCode)).toBe(
      '404 project_not_found',
    );
    const foreignOwner = `${foreign}/${theirs.owner.id}`;
    expect(await send('delete', foreignOwner, project.owner.token).then(readProblemCode)).toBe(
      '404 project_not_found',
    );
    // Another project's member under the own project's path.
    expect(await send('delete', path(theirs.owner.id), project.owner.token).then(readProblemCode)).toBe(
      '404 not_found',
    );
    const demoted = await send('patch', path(theirs.owner.id), project.owner.token, { role: 'viewer' });
    expect(readProblemCode(demoted)).toBe('404 not_found');
    await send('get', path()).expect(401);
    await send('get', path(), project.apiKey).expect(403);
    await send('get', path(), `user:${project.id}:u`).expect(403);
  });

  it('who are viewers change no member, but may leave', async () => {
    const viewer = await addMember(management, project, 'viewer');
    const other = await addMember(management, project, 'viewer');
    const self = await send('patch', path(viewer.id), viewer.token, { role: 'admin' });
    expect(readProblemCode(self)).toBe('403 insufficient_role');
    expect(await send('delete', path(other.id), viewer.token).then(readProblemCode)).toBe(
      '403 insufficient_role',
    );
    await send('delete', path(viewer.id), viewer.token).expect(204);
    await send('get', path(), viewer.token).expect(404);
  });

  it('who are admins manage others, but neither make nor touch owners', async () => {
    const admin = await addMember(management, project, 'admin');
    const viewer = await addMember(management, project, 'viewer');
    await send('patch', path(viewer.id), admin.token, { role: 'admin' }).expect(200);
    for (const id of [admin.id, viewer.id]) {
      const refused = await send('patch', path(id), admin.token, { role: 'owner' });
      expect(readProblemCode(refused)).toBe('403 insufficient_role');
    }
    const demoted = await send('patch', path(project.owner.id), admin.token, { role: 'viewer' });
    expect(readProblemCode(demoted)).toBe('403 insufficient_role');
    expect(await send('delete', path(project.owner.id), admin.token).then(readProblemCode)).toBe(
      '403 insufficient_role',
    );
    const person = await addOperator(management);
    const made = await send('post', path(), admin.token, { email: person.email, role: 'owner' });
    expect(readProblemCode(made)).toBe('403 insufficient_role');
    await send('delete', path(viewer.id), admin.token).expect(204);
  });

  it('keep their last owner, who can go once there is another', async () => {
    const { owner } = project;
    expect(await send('delete', path(owner.id), owner.token).then(readProblemCode)).toBe('403 forbidden');
    expect(await send('patch', path(owner.id), owner.token, { role: 'admin' }).then(readProblemCode)).toBe(
      '403 forbidden',
    );
    await send('patch', path(owner.id), owner.token, { role: 'owner' }).expect(200);
    await addMember(management, project, 'owner');
    await send('delete', path(owner.id), owner.token).expect(204);
  });

  it('keep an owner when two of them leave at the same time', async () => {
    const second = await addMember(management, project, 'owner');
    const replies = await Promise.all([
      send('delete', path(project.owner.id), project.owner.token),
      send('delete', path(second.id), second.token),
    ]);
    expect(replies.map(readProblemCode).sort()).toEqual(['204 undefined', '403 forbidden']);
    const owners = await management.db('project_members').where({ project_id: project.id, role: 'owner' });
    expect(owners).toHaveLength(1);
  });

  it('are neither added nor changed nor removed by an admin who loses the role meanwhile', async () => {
    const viewer = await addMember(management, project, 'viewer');
    const stranger = await addOperator(management);
    const attempts = (token: string) => [
      send('post', path(), token, { email: stranger.email, role: 'admin' }),
      send('patch', path(viewer.id), token, { role: 'admin' }),
      send('delete', path(viewer.id), token),
    ];
    for (const index of [0, 1, 2]) {
      const admin = await addMember(management, project, 'admin');
      const held = await management.db.transaction();
      await held('projects').where({ id: project.id }).forUpdate();
      const answering = attempts(admin.token)[index]?.then(readProblemCode);
      await waitForLockQueue(held, management.db);
      await management.members.setRole(held, project.id, admin.id, 'viewer');
      await held.commit();
      expect(await answering).toBe('403 insufficient_role');
    }
  });

  it('whose role changes or who are removed leave keys, which the replies count and the keys name', async () => {
    const admin = await addMember(management, project, 'admin');
    const keys = `/projects/${project.id}/api-keys`;
    const makeKey = (name: string) => send('post', keys, admin.token, { name }).expect(201);
    const [kept, revoked] = [(await makeKey('kept')).body, (await makeKey('revoked')).body];
    await send('delete', `${keys}/${revoked.id}`, admin.token).expect(204);
    await send('post', `/projects/${project.id}/signing-keys`, admin.token, { managed: true }).expect(201);
    const counts = { liveApiKeys: 1, liveSigningKeys: 1 };
    const demoted = await send('patch', path(admin.id), project.owner.token, { role: 'viewer' }).expect(200);
    expect(demoted.body).toMatchObject(counts);
    const listed = await send('get', `${path()}?operatorId=${admin.id}`, project.owner.token);
    expect(listed.body.members).toMatchObject([counts]);
    const removed = await send('delete', path(admin.id), project.owner.token).expect(204);
    expect(removed.get('Gateway-Live-Keys')).toBe('2');
    const { apiKeys } = (await send('get', keys, project.owner.token).expect(200)).body;
    expect(apiKeys.find(({ id }: { id: string }) => id === kept.id).createdBy).toEqual({
      operatorId: admin.id,
      email: admin.email,
    });
    expect(kept.createdBy).toEqual({ operatorId: admin.id, email: admin.email });
  });

  it('leave a trace in the audit log, and a refused change leaves none', async () => {
    const person = await addMember(management, project, 'viewer');
    await send('patch', path(person.id), project.owner.token, { role: 'admin' }).expect(200);
    await send('delete', path(project.owner.id), project.owner.token).expect(403);
    await send('delete', path(person.id), project.owner.token).expect(204);
    const log = await send('get', `/activity?projectId=${project.id}`, project.owner.token).expect(200);
    const recorded = log.body.activity.map((entry: { action: string; details: { role?: string } }) =>
      [entry.action, entry.details.role].join(' '),
    );
    expect(recorded.slice(0, 3)).toEqual([
      'member.removed admin',
      'member.role_changed admin',
      'member.added viewer',
    ]);
    expect(recorded.slice(3, 5)).toEqual(['invitation.accepted viewer', 'invitation.created viewer']);
  });
});
