import request from 'supertest';
import { newId } from '../../src/lib/ids.ts';
import { sha256 } from '../../src/lib/opaque-tokens.ts';
import { createOperatorCommands } from '../../src/operators/gateway/operator-commands.ts';
import { createPasswordResetsStore } from '../../src/operators/own-account/password-resets.store.ts';
import type { Mail, Mailer } from '../../src/platform/mailer.ts';
import { createOutbound } from '../../src/platform/outbound.ts';
import { PUBLIC_URL } from '../http/support.ts';
import { browse, startAuthorizationServer } from '../support/authorization-server.ts';
import { until } from '../support/until.ts';
import { PASSWORD, type Person, readCookie, readCookies, startSignInWorld } from './sign-in-world.ts';

const CALLBACK = `${PUBLIC_URL}/auth/oidc/callback`;
const NEW_PASSWORD = 'what only the mailbox knows';

let claims: Record<string, unknown> = {};
const provider = await startAuthorizationServer({ redirectUri: CALLBACK, claims: () => claims });
const outbound = createOutbound({ allowPrivateNetworks: true });
const mails: Mail[] = [];
const mailer: Mailer = {
  canMail: true,
  send: async (_purpose, mail) => mails.push(mail) > 0,
  stop: async () => undefined,
};
const { origin: issuer, clientId, clientSecret } = provider;
const oidc = { issuer, clientId, clientSecret, allowedDomains: ['example.test'], defaultRole: undefined };
const world = await startSignInWorld({ oidc, outbound, mailer });
afterAll(async () => {
  await outbound.stop();
  await provider.close();
  await world.drop();
});
const { db, post } = world;
const resets = createPasswordResetsStore();
const commands = createOperatorCommands({
  db,
  personalAccessTokens: world.tokens,
  endInvitations: world.endInvitations,
  addOwner: async () => undefined,
  setFrozen: async () => undefined,
  listProjects: async () => [],
  recordActivity: world.recordActivity,
  systemUser: 'root',
  publicUrl: PUBLIC_URL,
  daysMax: 365,
});

type Squatter = Person & {
  readonly cookie: string;
  readonly token: string;
  readonly recoveryCode: string;
  readonly resetToken: string;
  readonly projectId: string;
};

/** An account with the address of another person, with everything that its maker can have made in it. */
async function squat(): Promise<Squatter> {
  const person = await world.addPerson({ email_verified_at: null });
  const cookie = await world.enter(person);
  const { recoveryCodes } = (await post('/operators/me/otp', cookie, { password: PASSWORD }).expect(201))
    .body;
  await db('operator_otps').where({ operator_id: person.id }).update({ confirmed_at: db.fn.now() });
  const made = { operatorId: person.id, name: 'squatted', expiresAt: null };
  const { token } = await world.tokens.insert(db, made);
  await db('operator_identities').insert({ issuer, subject: newId(), operator_id: person.id });
  const projectId = await world.addProject(person);
  const invited = { email: `${newId()}@example.test`, role: 'owner' };
  await post(`/projects/${projectId}/invitations`, cookie, invited).expect(201);
  await inviteTo(person.email);
  const resetToken = await resets.insert(db, person.id);
  return { ...person, cookie, token, recoveryCode: recoveryCodes[0], resetToken, projectId };
}

/** The mail of an invitation by an owner who knows nothing of the account. */
async function inviteTo(email: string): Promise<Mail> {
  const owner = await world.addPerson();
  const projectId = await world.addProject(owner);
  const sent = mails.length;
  await post(`/projects/${projectId}/invitations`, await world.enter(owner), {
    email,
    role: 'viewer',
  }).expect(201);
  return mailAfter(sent, email);
}

async function mailAfter(sent: number, email: string): Promise<Mail> {
  const find = () => mails.slice(sent).find(({ to }) => to === email);
  await until(() => find() !== undefined);
  return find() ?? { to: '', subject: '', text: '' };
}

const tokenIn = (text: string) => /#([\w-]{43})/.exec(text)?.[1] ?? '';
const complete = (token: string) => post('/password-resets/complete', '', { token, password: NEW_PASSWORD });

/** What only the person with the mailbox, or the administrator of the server, can do; answers the browser's cookie. */
const WAYS: Readonly<Record<string, (squatter: Squatter) => Promise<string>>> = {
  async 'a new password by mail'({ email }) {
    const sent = mails.length;
    await post('/password-resets', '', { email }).expect(202);
    const { text } = await mailAfter(sent, email);
    return readCookie(await complete(tokenIn(text)).expect(201));
  },

  async 'the link of an invitation’s mail'({ email }) {
    const token = tokenIn((await inviteTo(email)).text);
    const facts = await post('/invitations/lookup', '', { token }).expect(200);
    expect(facts.body.hasAccount).toBe(false);
    await post('/invitations/accept', '', { token }).expect(400);
    const accepted = await post('/invitations/accept', '', { token, password: NEW_PASSWORD }).expect(201);
    return readCookie(accepted);
  },

  async 'the identity provider'({ email, recoveryCode }) {
    claims = { email, email_verified: true };
    const begun = await request(world.app).get('/auth/oidc').expect(303);
    const { search } = new URL(await browse(begun.headers.location ?? '', CALLBACK));
    const refused = await request(world.app)
      .get(`/auth/oidc/callback${search}`)
      .set('Cookie', readCookies(begun).join('; '));
    const link = { Cookie: readCookies(refused).join('; ') };
    return readCookie(await world.signIn(email, PASSWORD, link, recoveryCode).expect(201));
  },

  async 'a link that the administrator of the server made'({ email }) {
    return readCookie(await complete(tokenIn(await commands.issueResetLink(email))).expect(201));
  },

  async 'a password that the administrator of the server set'({ email }) {
    await commands.resetPassword(email, NEW_PASSWORD);
    return readCookie(await world.signIn(email, NEW_PASSWORD).expect(201));
  },
};

/** Which of the things made before still open something, by name. */
async function leftOf(squatter: Squatter): Promise<string[]> {
  const { id, email } = squatter;
  const isThere: Record<string, boolean> = {
    session: (await world.me(squatter.cookie)).status === 200,
    token: (await world.tokens.findPersonalAccessToken(sha256(squatter.token))) !== undefined,
    password: (await world.signIn(email)).body.code !== 'credentials_invalid',
    'link to a new password': (await resets.find(db, squatter.resetToken)) !== undefined,
    'second factor': (await db('operator_otps').where({ operator_id: id }).first()) !== undefined,
    identity: (await db('operator_identities').where({ operator_id: id, issuer }).pluck('subject')).some(
      (subject) => subject.length === 36,
    ),
    'invitation that it made': (await db('invitations').where({ created_by: id }).first()) !== undefined,
    'invitation of it': (await db('invitations').where({ email }).first()) !== undefined,
  };
  return Object.keys(isThere).filter((name) => isThere[name]);
}

describe('the moment in which an address becomes verified', () => {
  it.each(Object.keys(WAYS))('by %s ends whatever was made in the account before', async (name) => {
    const squatter = await squat();
    const all = ['session', 'token', 'password', 'link to a new password', 'second factor', 'identity'];
    expect(await leftOf(squatter)).toEqual([...all, 'invitation that it made', 'invitation of it']);
    const cookie = (await WAYS[name]?.(squatter)) ?? '';
    expect(await leftOf(squatter)).toEqual([]);
    const own = (await world.me(cookie).expect(200)).body;
    expect(own).toMatchObject({ id: squatter.id, emailVerified: true, otpEnabled: false });
    const member = await world.members.find(db, squatter.projectId, squatter.id);
    expect(member?.role).toBe('owner');
    const recorded = await db('activity').where({
      subject_id: squatter.id,
      action: 'operator.address_verified',
    });
    expect(recorded.map(({ details }) => details)).toEqual([{ by: expect.any(String), endedTokens: 1 }]);
  });

  it('ends nothing of an address that was verified before, but sessions and tokens at a new password', async () => {
    const person = await world.addPerson();
    const cookie = await world.enter(person);
    await post('/operators/me/otp', cookie, { password: PASSWORD }).expect(201);
    const { token } = await world.tokens.insert(db, { operatorId: person.id, name: 'x', expiresAt: null });
    await db('operator_identities').insert({ issuer, subject: person.id, operator_id: person.id });
    const invitation = tokenIn((await inviteTo(person.email)).text);
    await post('/invitations/accept', cookie, { token: invitation }).expect(201);
    const isFound = async () => (await world.tokens.findPersonalAccessToken(sha256(token))) !== undefined;
    expect(await isFound()).toBe(true);
    await complete(await resets.insert(db, person.id)).expect(201);
    expect(await isFound()).toBe(false);
    expect(await db('operator_otps').where({ operator_id: person.id })).toHaveLength(1);
    expect(await db('operator_identities').where({ operator_id: person.id })).toHaveLength(1);
  });
});

describe('an account whose address is not verified', () => {
  it('gets no personal access token, and says what to do', async () => {
    const person = await world.addPerson({ email_verified_at: null });
    const cookie = await world.enter(person);
    const body = { name: 'Laptop', password: PASSWORD };
    const refused = await post('/personal-access-tokens', cookie, body).expect(403);
    expect(refused.body.code).toBe('address_unverified');
    await expect(commands.issueToken(person.email)).rejects.toThrow(/reset-password/);
    await db('operators').where({ id: person.id }).update({ email_verified_at: db.fn.now() });
    await post('/personal-access-tokens', cookie, body).expect(201);
  });
});
