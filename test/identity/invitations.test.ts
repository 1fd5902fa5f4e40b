import request from 'supertest';
import { newId } from '../../src/lib/ids.ts';
import { PASSWORD, type Person, readCookie, startSignInWorld } from '../operators/sign-in-world.ts';
import { waitForLockQueue } from '../support/postgres.ts';

const world = await startSignInWorld();
afterAll(world.drop);
const { addPerson, enter, me, post } = world;

let owner: Person;
let ownerCookie: string;
let projectId: string;
beforeEach(async () => {
  owner = await addPerson({ name: 'Olga Owner' });
  ownerCookie = await enter(owner);
  projectId = await world.addProject(owner);
});

const path = () => `/projects/${projectId}/invitations`;
const invite = (email: string, role = 'admin', cookie = ownerCookie) => post(path(), cookie, { email, role });
const accept = (body: object, cookie = '') => post('/invitations/accept', cookie, body);
const tokenOf = (reply: request.Response): string => reply.body.url.split('#')[1];

let newcomers = 0;
function newcomer(): string {
  newcomers += 1;
  return `newcomer-${newcomers}@example.test`;
}

async function roleOf(email: string): Promise<string | undefined> {
  const list = await world.get(`/projects/${projectId}/members`, ownerCookie).expect(200);
  return list.body.members.find((member: { email: string }) => member.email === email)?.role;
}

describe('an invitation', () => {
  it('is a link that makes an account and a member of its role, once, and signs in', async () => {
    const email = newcomer();
    const made = await invite(email, 'viewer').expect(201);
    expect(made.body).toEqual({
      id: expect.any(String),
      projectId,
      email,
      role: 'viewer',
      createdAt: expect.any(String),
      createdBy: owner.id,
      expiresAt: expect.any(String),
      mailed: false,
      url: expect.stringMatching(/^https:\/\/gateway\.example\/invitation#[\w-]{43}$/),
    });
    const token = tokenOf(made);
    const facts = await post('/invitations/lookup', '', { token }).expect(200);
    expect(facts.body).toEqual({
      project: { id: projectId, name: 'Shop' },
      email,
      role: 'viewer',
      hasAccount: false,
    });
    const entered = await accept({ token, name: 'New Comer', password: PASSWORD }).expect(201);
    expect(entered.body.operator).toMatchObject({ email, name: 'New Comer', hasPassword: true });
    await me(readCookie(entered)).expect(200);
    expect(await roleOf(email)).toBe('viewer');
    expect((await accept({ token, password: PASSWORD }).expect(410)).body.code).toBe('link_invalid');
    const log = await world.db('activity').where({ project_id: projectId }).pluck('action');
    expect(log).toEqual(
      expect.arrayContaining(['invitation.created', 'invitation.accepted', 'member.added']),
    );
    const stored =
      await world.db.raw(`SELECT json_agg(i)::text || (SELECT json_agg(a)::text FROM activity a) AS all
      FROM invitations i`);
    expect(`${stored.rows[0].all}${world.text()}`).not.toContain(token);
  });

  it('asks a newcomer for a password that may be one', async () => {
    const email = newcomer();
    const token = tokenOf(await invite(email).expect(201));
    for (const password of [undefined, 'short', email]) {
      const reply = await accept({ token, password }).expect(400);
      expect(reply.body.errors).toMatchObject([{ path: 'body.password' }]);
    }
    await accept({ token, password: PASSWORD }).expect(201);
  });

  it('is accepted by an account of its address only when the browser or a password proves who is there', async () => {
    const person = await addPerson();
    const [theirs, strangers] = [await enter(person), await enter(await addPerson())];
    const first = tokenOf(await invite(person.email.toUpperCase()).expect(201));
    expect((await post('/invitations/lookup', '', { token: first })).body.hasAccount).toBe(true);
    for (const [body, cookie] of [
      [{}, ''],
      [{}, strangers],
      [{ password: 'not the password' }, ''],
      [{ password: 'not the password' }, strangers],
    ] as const) {
      const reply = await accept({ token: first, ...body }, cookie).expect(401);
      expect(reply.body.code).toBe('credentials_invalid');
    }
    expect(await roleOf(person.email)).toBeUndefined();
    const withoutOrigin = await request(world.app)
      .post('/v1/invitations/accept')
      .set('Cookie', theirs)
      .send({ token: first });
    expect(withoutOrigin.body.code).toBe('csrf_rejected');
    const renewed = await accept({ token: first }, theirs).expect(201);
    await me(theirs).expect(401);
    await me(readCookie(renewed)).expect(200);
    expect(await roleOf(person.email)).toBe('admin');
  });

  it('is accepted with the password of the account', async () => {
    const person = await addPerson();
    const token = tokenOf(await invite(person.email).expect(201));
    await accept({ token, password: PASSWORD }).expect(201);
    expect(await roleOf(person.email)).toBe('admin');
  });

  it('works in one of two browsers that send it at once', async () => {
    const person = await addPerson();
    const [one, two] = [await enter(person), await enter(person)];
    const token = tokenOf(await invite(person.email).expect(201));
    const replies = await Promise.all([accept({ token }, one), accept({ token }, two)]);
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 410]);
  });

  it('ends when it is withdrawn, replaced or old', async () => {
    const email = newcomer();
    const replaced = await invite(email, 'owner').expect(201);
    const withdrawn = await invite(email, 'viewer').expect(201);
    const list = await world.get(path(), ownerCookie).expect(200);
    expect(list.body.invitations).toMatchObject([{ id: withdrawn.body.id, role: 'viewer' }]);
    expect(list.body.invitations[0].url).toBeUndefined();
    await world.delete(`${path()}/${withdrawn.body.id}`, ownerCookie).expect(204);
    await world.delete(`${path()}/${withdrawn.body.id}`, ownerCookie).expect(404);
    const old = await invite(newcomer()).expect(201);
    await world.db('invitations').where({ id: old.body.id }).update({ expires_at: world.db.fn.now() });
    for (const reply of [replaced, withdrawn, old]) {
      const token = tokenOf(reply);
      expect((await post('/invitations/lookup', '', { token }).expect(410)).body.code).toBe('link_invalid');
      await accept({ token, password: PASSWORD }).expect(410);
    }
  });

  it('never takes an account over that is made while its link is being opened', async () => {
    const email = newcomer();
    const token = tokenOf(await invite(email).expect(201));
    const held = await world.db.transaction();
    await held('projects').where({ id: projectId }).forUpdate();
    const answering = accept({ token, password: 'the password of a stranger' }).then((reply) => reply);
    await waitForLockQueue(held, world.db);
    await addPerson({ email });
    await held.commit();
    expect((await answering).status).toBe(401);
    await world.signIn(email).expect(201);
    expect(await roleOf(email)).toBeUndefined();
  });

  it('makes no second account of an address where one is made at the same time', async () => {
    const email = newcomer();
    const token = tokenOf(await invite(email).expect(201));
    const held = await world.db.transaction();
    await held('operators').insert({ id: newId(), email: email.toUpperCase() });
    const answering = accept({ token, password: PASSWORD }).then((reply) => reply);
    await waitForLockQueue(held, world.db);
    await held.commit();
    const { status, body } = await answering;
    expect([status, body.code]).toEqual([401, 'credentials_invalid']);
  });

  it('is not made by a member who loses the role while the request waits for the project', async () => {
    for (const role of ['viewer', undefined] as const) {
      const admin = await addPerson();
      await world.members.insert(world.db, projectId, admin.id, 'admin');
      const cookie = await enter(admin);
      const held = await world.db.transaction();
      await held('projects').where({ id: projectId }).forUpdate();
      const answering = invite(newcomer(), 'admin', cookie).then((reply) => reply);
      await waitForLockQueue(held, world.db);
      if (role) await world.members.setRole(held, projectId, admin.id, role);
      else await world.members.remove(held, projectId, admin.id);
      await held.commit();
      const code = role ? 'insufficient_role' : 'project_not_found';
      expect((await answering).body.code).toBe(code);
    }
    const list = await world.get(path(), ownerCookie).expect(200);
    expect(list.body.invitations).toEqual([]);
  });

  it('is made by owners and admins, of owners by owners, and never for a member', async () => {
    const admin = await addPerson();
    const viewer = await addPerson();
    await world.members.insert(world.db, projectId, admin.id, 'admin');
    await world.members.insert(world.db, projectId, viewer.id, 'viewer');
    const [asAdmin, asViewer] = [await enter(admin), await enter(viewer)];
    const stranger = await enter(await addPerson());
    await invite(newcomer(), 'admin', asAdmin).expect(201);
    expect((await invite(newcomer(), 'owner', asAdmin).expect(403)).body.code).toBe('insufficient_role');
    expect((await invite(newcomer(), 'viewer', asViewer).expect(403)).body.code).toBe('insufficient_role');
    expect((await invite(newcomer(), 'viewer', stranger).expect(404)).body.code).toBe('project_not_found');
    const member = await invite(viewer.email).expect(400);
    expect(member.body.errors).toMatchObject([{ path: 'body.email' }]);
    await world.get(path(), asViewer).expect(200);
    await world.get(path(), stranger).expect(404);
  });
});

describe('an account that was made by opening a link that the gateway did not mail', () => {
  const add = (project: string, email: string, cookie: string) =>
    post(`/projects/${project}/members`, cookie, { email, role: 'admin' });

  it('is added to no other project, since the one who invited may have opened the link', async () => {
    const email = newcomer();
    await accept({ token: tokenOf(await invite(email).expect(201)), password: PASSWORD }).expect(201);
    const other = await addPerson();
    const [elsewhere, otherCookie] = [await world.addProject(other), await enter(other)];
    const refused = await add(elsewhere, email, otherCookie).expect(400);
    const unknown = await add(elsewhere, newcomer(), otherCookie).expect(400);
    expect(refused.body.errors).toMatchObject([{ path: 'body.email' }]);
    expect(refused.body.errors).toEqual(unknown.body.errors);
    const list = await world.get(`/projects/${projectId}/members`, ownerCookie).expect(200);
    const shown = list.body.members.map((member: { email: string; emailVerified: boolean }) => [
      member.email,
      member.emailVerified,
    ]);
    expect(shown).toEqual([
      [email, false],
      [owner.email, true],
    ]);
  });

  it('joins another project by accepting its invitation, signed in', async () => {
    const email = newcomer();
    const made = await accept({ token: tokenOf(await invite(email).expect(201)), password: PASSWORD });
    const other = await addPerson();
    const [elsewhere, otherCookie] = [await world.addProject(other), await enter(other)];
    const invited = await post(`/projects/${elsewhere}/invitations`, otherCookie, { email, role: 'viewer' });
    const token = tokenOf(invited);
    await accept({ token }).expect(401);
    const joined = await accept({ token }, readCookie(made)).expect(201);
    expect(joined.body.operator).toMatchObject({ email, emailVerified: false });
  });

  it('counts as verified after a new password by a link that only its mailbox or the server’s administrator has', async () => {
    const email = newcomer();
    const made = await accept({ token: tokenOf(await invite(email).expect(201)), password: PASSWORD });
    const { createPasswordResetsStore } = await import(
      '../../src/operators/own-account/password-resets.store.ts'
    );
    const token = await createPasswordResetsStore().insert(world.db, made.body.operator.id);
    await post('/password-resets/complete', '', { token, password: 'another long password' }).expect(201);
    const other = await addPerson();
    await add(await world.addProject(other), email, await enter(other)).expect(201);
  });
});

describe('a member whose role changes or who is removed', () => {
  it('leaves no way back in: invitations that the member may not make any more are withdrawn', async () => {
    const person = await addPerson();
    await world.members.insert(world.db, projectId, person.id, 'owner');
    const cookie = await enter(person);
    const made = async (role: string) => tokenOf(await invite(newcomer(), role, cookie).expect(201));
    const [ofOwner, ofAdmin] = [await made('owner'), await made('admin')];
    const others = tokenOf(await invite(newcomer(), 'owner').expect(201));
    const member = `/projects/${projectId}/members/${person.id}`;
    await world.patch(member, ownerCookie, { role: 'admin' }).expect(200);
    await post('/invitations/lookup', '', { token: ofOwner }).expect(410);
    await post('/invitations/lookup', '', { token: ofAdmin }).expect(200);
    await world.delete(member, ownerCookie).expect(204);
    await accept({ token: ofAdmin, password: PASSWORD }).expect(410);
    await post('/invitations/lookup', '', { token: others }).expect(200);
    const log = await world.db('activity').where({ project_id: projectId, action: 'invitation.deleted' });
    expect(log.map(({ details }) => details.role)).toEqual(['owner', 'admin']);
    expect(log.every(({ actor_id }) => actor_id === owner.id)).toBe(true);
  });

  it('stays signed in, and is judged by the new role at the next request', async () => {
    const person = await addPerson();
    await world.members.insert(world.db, projectId, person.id, 'owner');
    const [cookie, elsewhere] = [await enter(person), await enter(person)];
    const member = `/projects/${projectId}/members/${person.id}`;
    const own = await world.patch(member, cookie, { role: 'admin' }).expect(200);
    await me(cookie).expect(401);
    await me(readCookie(own)).expect(200);
    await world.patch(member, ownerCookie, { role: 'viewer' }).expect(200);
    await me(elsewhere).expect(200);
    expect((await invite(newcomer(), 'viewer', elsewhere).expect(403)).body.code).toBe('insufficient_role');
    await world.delete(member, ownerCookie).expect(204);
    await me(elsewhere).expect(200);
    await world.get(path(), elsewhere).expect(404);
  });

  it('is never signed out by an owner of another project, whatever that one does', async () => {
    const victim = await addPerson();
    const cookie = await enter(victim);
    const member = `/projects/${projectId}/members/${victim.id}`;
    const email = victim.email;
    for (const made of [path(), `/projects/${projectId}/members`]) {
      await post(made, ownerCookie, { email, role: 'viewer' }).expect(201);
      await world.patch(member, ownerCookie, { role: 'admin' }).expect(404);
      await world.delete(member, ownerCookie).expect(404);
      await me(cookie).expect(200);
    }
    const [own] = (await world.get('/operators/me/invitations', cookie).expect(200)).body.invitations;
    const accept = `/operators/me/invitations/${own.id}/accept`;
    await request(world.app).post(`/v1${accept}`).set('Cookie', cookie).expect(403);
    await post(accept, cookie, {}).expect(200);
    await me(cookie).expect(200);
    await world.patch(member, ownerCookie, { role: 'admin' }).expect(200);
    await world.delete(member, ownerCookie).expect(204);
    await me(cookie).expect(200);
  });
});
