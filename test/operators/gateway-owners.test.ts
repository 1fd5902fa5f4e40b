import { PASSWORD, type Person, startSignInWorld } from './sign-in-world.ts';

const world = await startSignInWorld();
afterAll(world.drop);
const { addPerson, enter, post, get, me } = world;
const PATH = '/gateway/owners';

let first: Person;
let cookie: string;
beforeEach(async () => {
  await world.db('operators').update({ gateway_owner_since: null });
  first = await addPerson({ gateway_owner_since: world.db.fn.now() });
  cookie = await enter(first);
});

const appoint = (email: string, by = cookie, password = PASSWORD) => post(PATH, by, { email, password });
const ownersAs = async (by: string) =>
  (await get(PATH, by).expect(200)).body.owners.map(({ email }: { email: string }) => email);

describe('an owner of the gateway', () => {
  it('is no one by owning a project', async () => {
    const person = await addPerson();
    await world.addProject(person);
    const own = await enter(person);
    expect((await me(own).expect(200)).body.gatewayOwner).toBe(false);
    expect((await get(PATH, own).expect(403)).body.code).toBe('forbidden');
    expect((await appoint(person.email, own).expect(403)).body.code).toBe('forbidden');
    await world.delete(`${PATH}/${first.id}`, own).expect(403);
  });

  it('appoints others with the password, and removes them; the last one stays', async () => {
    const person = await addPerson();
    expect((await me(cookie)).body.gatewayOwner).toBe(true);
    expect((await appoint(person.email, cookie, 'not the password').expect(400)).body.errors).toMatchObject([
      { path: 'body.password' },
    ]);
    await appoint(person.email.toUpperCase()).expect(201);
    const own = await enter(person);
    expect(await ownersAs(own)).toEqual([first.email, person.email]);
    expect((await me(own)).body.gatewayOwner).toBe(true);
    await appoint(person.email).expect(400);
    await world.delete(`${PATH}/${first.id}`, own).expect(204);
    await get(PATH, cookie).expect(403);
    const last = await world.delete(`${PATH}/${person.id}`, own).expect(403);
    expect(last.body.detail).toContain('last owner');
    const actions = await world.db('activity').where({ actor_id: first.id }).pluck('action');
    expect(actions).toContain('gateway_owner.added');
  });

  it('is left when two of them remove each other at once', async () => {
    const person = await addPerson();
    await appoint(person.email).expect(201);
    const own = await enter(person);
    const replies = await Promise.all([
      world.delete(`${PATH}/${person.id}`, cookie),
      world.delete(`${PATH}/${first.id}`, own),
    ]);
    expect(replies.map(({ status }) => status).sort()).toEqual([204, 403]);
    expect(await world.db('operators').whereNotNull('gateway_owner_since')).toHaveLength(1);
  });

  it('is never an account whose address is not verified', async () => {
    const person = await addPerson({ email_verified_at: null });
    for (const email of [person.email, 'nobody@example.test']) {
      expect((await appoint(email).expect(400)).body.errors).toMatchObject([{ path: 'body.email' }]);
    }
  });
});
