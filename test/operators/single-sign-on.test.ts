import request from 'supertest';
import { createOutbound } from '../../src/platform/outbound.ts';
import type { OidcConfig } from '../../src/settings/oidc.ts';
import { PUBLIC_URL } from '../http/support.ts';
import { browse, startAuthorizationServer } from '../support/authorization-server.ts';
import { waitForLockQueue } from '../support/postgres.ts';
import { PASSWORD, readCookie, readCookies, startSignInWorld } from './sign-in-world.ts';

const CALLBACK = `${PUBLIC_URL}/auth/oidc/callback`;

/** What the identity provider says of its one account, whom each test makes another one. */
let claims: Record<string, unknown> = {};
const provider = await startAuthorizationServer({ redirectUri: CALLBACK, claims: () => claims });
const outbound = createOutbound({ allowPrivateNetworks: true });
const oidc: OidcConfig = {
  issuer: provider.origin,
  clientId: provider.clientId,
  clientSecret: provider.clientSecret,
  allowedDomains: ['example.test'],
  defaultRole: 'viewer',
};
const world = await startSignInWorld({ oidc, outbound });
afterAll(async () => {
  await outbound.stop();
  await provider.close();
  await world.drop();
});

beforeEach(() => world.db('operator_identities').delete());

const get = (path: string, cookies: readonly string[] = []) =>
  request(world.app).get(path).set('Cookie', cookies.join('; '));

/** Goes to the identity provider and back, as far as the callback's address. */
async function goThere(path = '/auth/oidc') {
  const begun = await get(path).expect(303);
  const callback = await browse(begun.headers.location ?? '', CALLBACK);
  return { cookies: readCookies(begun), query: new URL(callback).search };
}

async function signOn(path?: string) {
  const { cookies, query } = await goThere(path);
  return get(`/auth/oidc/callback${query}`, cookies).expect(303);
}

const refusalOf = (reply: request.Response) =>
  new URL(reply.headers.location ?? '').searchParams.get('error');

let newcomers = 0;
function claimsOf(more: Record<string, unknown> = {}): { email: string } {
  newcomers += 1;
  const email = `colleague-${newcomers}@example.test`;
  claims = { email, email_verified: true, name: 'Colleague', ...more };
  return { email };
}

describe('single sign-on', () => {
  it('is offered by the sign-in page', async () => {
    await world.addPerson();
    expect((await get('/v1/sign-in-options')).body.singleSignOn).toEqual({ url: `${PUBLIC_URL}/auth/oidc` });
  });

  it('makes a colleague an operator with the default role in every project, and knows them the next time', async () => {
    const projectId = await world.addProject(await world.addPerson());
    const { email } = claimsOf();
    const first = await signOn('/auth/oidc?returnTo=/p/1/connections%3Fstatus=active');
    expect(first.headers.location).toBe(`${PUBLIC_URL}/p/1/connections?status=active`);
    const me = (await world.me(readCookie(first)).expect(200)).body;
    expect(me).toMatchObject({ email, name: 'Colleague', hasPassword: false, singleSignOn: true });
    const member = await world.members.find(world.db, projectId, me.id);
    expect(member?.role).toBe('viewer');
    claims = { ...claims, email: 'renamed@example.test' };
    const again = (await world.me(readCookie(await signOn())).expect(200)).body;
    expect(again).toEqual(me);
    const log = await world.db('activity').where({ actor_id: me.id }).orderBy('id');
    expect(log.map(({ action }) => action)).toEqual([
      'operator.created',
      'operator.single_sign_on_linked',
      'member.added',
      'session.created',
      'session.created',
    ]);
    expect(log.at(-1).details).toEqual({ method: 'single_sign_on', secondFactor: false });
    await world.signIn(email, PASSWORD).expect(401);
  });

  it('makes one operator of a colleague whose two windows come back at once', async () => {
    await world.addPerson();
    const { email } = claimsOf();
    const windows = [await goThere(), await goThere()];
    const held = await world.db.transaction();
    await held.raw('LOCK TABLE operators IN SHARE MODE');
    const entering = windows.map(({ cookies, query }) =>
      get(`/auth/oidc/callback${query}`, cookies).then((reply) => reply),
    );
    await waitForLockQueue(held, world.db, 2);
    await held.commit();
    for (const reply of await Promise.all(entering)) {
      expect([reply.status, refusalOf(reply)]).toEqual([303, null]);
      expect((await world.me(readCookie(reply)).expect(200)).body.email).toBe(email);
    }
  });

  it('links an operator of the same address only after the password, given in the same browser', async () => {
    const person = await world.addPerson();
    claims = { email: person.email, email_verified: true };
    const refused = await signOn();
    expect(refusalOf(refused)).toBe('single_sign_on_link_needed');
    expect(readCookie(refused)).toBe('');
    const link = readCookies(refused).join('; ');
    // Another operator's password in this browser, or this one's in another browser, links nothing.
    await world.signIn((await world.addPerson()).email, PASSWORD, { Cookie: link }).expect(201);
    await world.signIn(person.email).expect(201);
    await world.signIn(person.email, 'not the password', { Cookie: link }).expect(401);
    expect(refusalOf(await signOn())).toBe('single_sign_on_link_needed');
    await world.signIn(person.email, PASSWORD, { Cookie: link }).expect(201);
    const entered = await signOn();
    expect((await world.me(readCookie(entered)).expect(200)).body).toMatchObject({
      id: person.id,
      singleSignOn: true,
      hasPassword: true,
    });
  });

  it('refuses an address that is not verified, and one of another domain', async () => {
    await world.addPerson();
    for (const [more, refusal] of [
      [{ email_verified: false }, 'email_unverified'],
      [{ email_verified: undefined }, 'email_unverified'],
      [{ email: undefined }, 'email_unverified'],
      [{ email: 'stranger@elsewhere.test' }, 'domain_not_allowed'],
      [{ email: 'stranger@example.test.evil.test' }, 'domain_not_allowed'],
    ] as const) {
      claimsOf(more);
      const reply = await signOn();
      expect(refusalOf(reply)).toBe(refusal);
      expect(readCookie(reply)).toBe('');
    }
  });

  it('takes an answer only in the browser that asked, once, and only as the provider gave it', async () => {
    await world.addPerson();
    claimsOf();
    const { cookies, query } = await goThere();
    const elsewhere = await get(`/auth/oidc/callback${query}`).expect(303);
    expect(refusalOf(elsewhere)).toBe('single_sign_on_expired');
    const another = await goThere();
    const mixed = await get(`/auth/oidc/callback${query}`, another.cookies).expect(303);
    expect(refusalOf(mixed)).toBe('single_sign_on_failed');
    const forged = query.replace(/state=[^&]+/, 'state=forged');
    expect(refusalOf(await get(`/auth/oidc/callback${forged}`, cookies))).toBe('single_sign_on_failed');
    const entered = await get(`/auth/oidc/callback${query}`, cookies).expect(303);
    await world.me(readCookie(entered)).expect(200);
    expect(refusalOf(await get(`/auth/oidc/callback${query}`, cookies))).toBe('single_sign_on_failed');
    const denied = await get('/auth/oidc/callback?error=access_denied', cookies).expect(303);
    expect(refusalOf(denied)).toBe('single_sign_on_failed');
  });

  it.each(['//evil.test/', '/\\evil.test', 'https://evil.test', '/%09/evil.test', '/\t/evil.test'])(
    'leads to no other site: %j',
    async (returnTo) => {
      await world.addPerson();
      claimsOf();
      const entered = await signOn(`/auth/oidc?returnTo=${encodeURIComponent(returnTo)}`);
      expect(new URL(entered.headers.location ?? '').origin).toBe(PUBLIC_URL);
    },
  );

  it('logs and stores neither codes nor secrets', async () => {
    await world.addPerson();
    claimsOf();
    const { cookies, query } = await goThere();
    await get(`/auth/oidc/callback${query}`, cookies).expect(303);
    const code = new URLSearchParams(query).get('code') ?? 'none';
    expect(world.text()).not.toContain(code);
    expect(world.text()).not.toContain(provider.clientSecret);
  });
});

describe('without an identity provider that answers', () => {
  it('the sign-in page says so', async () => {
    const silent = await startSignInWorld({ oidc: { ...oidc, issuer: 'http://127.0.0.1:9' }, outbound });
    const reply = await request(silent.app).get('/auth/oidc').expect(303);
    expect(refusalOf(reply)).toBe('single_sign_on_unavailable');
    await silent.drop();
  });

  it('single sign-on is no way around the first set-up', async () => {
    const fresh = await startSignInWorld({ oidc, outbound });
    claimsOf();
    const begun = await request(fresh.app).get('/auth/oidc').expect(303);
    const callback = new URL(await browse(begun.headers.location ?? '', CALLBACK));
    const reply = await request(fresh.app)
      .get(`/auth/oidc/callback${callback.search}`)
      .set('Cookie', readCookies(begun).join('; '));
    expect(refusalOf(reply)).toBe('not_set_up');
    await fresh.drop();
  });
});
