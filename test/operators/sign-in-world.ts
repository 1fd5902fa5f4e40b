import { createSecretKey, randomBytes } from 'node:crypto';
import request from 'supertest';
import { createRecordActivity } from '../../src/activity/record.ts';
import { createFindAccessKey } from '../../src/identity/api-keys/find-access-key.ts';
import { createAuthenticate } from '../../src/identity/authenticate.ts';
import { createAcceptInvitationEndpoints } from '../../src/identity/invitations/accept-invitation.ts';
import { createAddMemberEndpoints } from '../../src/identity/invitations/add-member.router.ts';
import { createEndInvitations } from '../../src/identity/invitations/end-invitations.ts';
import { createInvitationsEndpoints } from '../../src/identity/invitations/invitations.router.ts';
import { createInvite } from '../../src/identity/invitations/invite.ts';
import { createOwnInvitationsEndpoints } from '../../src/identity/invitations/own-invitations.router.ts';
import { newId } from '../../src/lib/ids.ts';
import { createOperators } from '../../src/operators/create-operators.ts';
import { createPersonalAccessTokensStore } from '../../src/operators/personal-access-tokens/personal-access-tokens.store.ts';
import { endedSessionCookie, readSessionCookie } from '../../src/operators/sessions/session-cookie.ts';
import type { Mailer } from '../../src/platform/mailer.ts';
import type { Outbound } from '../../src/platform/outbound.ts';
import { createVault } from '../../src/platform/vault.ts';
import { createAccess } from '../../src/projects/access.ts';
import { createInvitationsStore } from '../../src/projects/invitations.store.ts';
import { createMembersEndpoints } from '../../src/projects/members.router.ts';
import { createMembersStore } from '../../src/projects/members.store.ts';
import { createProjectsStore } from '../../src/projects/projects.store.ts';
import type { OidcConfig } from '../../src/settings/oidc.ts';
import { createTestApp, PUBLIC_URL, SIGN_IN } from '../http/support.ts';
import { createTestDatabase } from '../support/postgres.ts';

export const PASSWORD = 'a long enough password';
export const SESSION_COOKIE = '__Host-gateway_session';
export const SAME_ORIGIN = { Origin: PUBLIC_URL };

export type Person = { readonly id: string; readonly email: string };
export type SignInWorld = Awaited<ReturnType<typeof startSignInWorld>>;

/** The sign-in, members and invitations of one gateway process on a database of its own, asked as a browser asks. */
export async function startSignInWorld(
  options: { mailer?: Mailer; now?: () => number; oidc?: OidcConfig; outbound?: Outbound } = {},
) {
  const database = await createTestDatabase();
  const db = database.knex;
  const vault = createVault([{ id: 'k1', key: createSecretKey(randomBytes(32)) }]);
  const recordActivity = createRecordActivity({ announce: () => undefined });
  const endInvitations = createEndInvitations({
    invitations: createInvitationsStore({ db }),
    recordActivity,
  });
  const startOtherProcess = () =>
    createOperators({
      ...{ ...SIGN_IN, ...options, db, vault, recordActivity },
      oidc: options.oidc,
      allowPrivateNetworks: true,
      joinEveryProject: createMembersStore({ db }).insertIntoEveryProject,
      endInvitations,
    });
  const signingIn = startOtherProcess();
  const { sessions, browserSessions } = signingIn;
  const projects = createProjectsStore({ db });
  const members = createMembersStore({ db });
  const invitations = createInvitationsStore({ db });
  const access = createAccess({ db });
  const shared = {
    ...{ db, publicUrl: PUBLIC_URL, access, projects, members, invitations, recordActivity },
    ...{ ...signingIn, mailer: options.mailer ?? SIGN_IN.mailer, log: SIGN_IN.log },
  };
  const tokens = createPersonalAccessTokensStore({ db });
  const refuse = () => Promise.reject(new Error('nothing of this kind here'));
  const authenticate = createAuthenticate({
    findApiKey: refuse,
    noteRefusedAddress: async () => undefined,
    findPersonalAccessToken: createFindAccessKey({
      find: tokens.findPersonalAccessToken,
      findMany: tokens.findPersonalAccessTokens,
      now: Date.now,
    }),
    sessions: {
      readCookie: (asked) => readSessionCookie(asked, PUBLIC_URL),
      endedCookie: endedSessionCookie(PUBLIC_URL),
      find: createFindAccessKey({
        find: sessions.findSession,
        findMany: sessions.findSessions,
        now: Date.now,
      }),
    },
    verifyManagementToken: refuse,
    endUserId: refuse,
    organizationId: refuse,
  });
  const invite = createInvite(shared);
  const endpoints = [
    ...signingIn.endpoints,
    ...createInvitationsEndpoints({ ...shared, invite }),
    ...createAddMemberEndpoints({ ...shared, invite }),
    ...createOwnInvitationsEndpoints(shared),
    ...createAcceptInvitationEndpoints(shared),
    ...createMembersEndpoints({
      ...shared,
      renewOwnSession: (trx, operatorId, by) => browserSessions.renewOwn(trx, operatorId, by, 'role_change'),
    }),
  ];
  const others = signingIn.singleSignOnRouter ? [signingIn.singleSignOnRouter] : [];
  const { app, text } = createTestApp(endpoints, { authenticate }, ...others);

  let passwordHash: Promise<string> | undefined;

  async function addPerson(fields: { email?: string } & Record<string, unknown> = {}): Promise<Person> {
    passwordHash ??= signingIn.passwords.hash('test', PASSWORD);
    const id = newId();
    const person = { id, email: fields.email ?? `${id}@example.test` };
    const row = { password_hash: await passwordHash, email_verified_at: db.fn.now() };
    await db('operators').insert({ ...row, ...fields, ...person });
    return person;
  }

  async function addProject(owner: Person): Promise<string> {
    const { id } = await projects.insert(db, { name: 'Shop' });
    await members.insert(db, id, owner.id, 'owner');
    return id;
  }

  const signIn = (email: string, password = PASSWORD, headers: Record<string, string> = {}, otp?: string) =>
    request(app)
      .post('/v1/sessions')
      .set(headers)
      .send({ email, password, ...(otp !== undefined && { otp }) });

  return {
    ...{ ...signingIn, app, db, vault, text, tokens, members, invitations, recordActivity, endInvitations },
    drop: database.drop,
    /** Sign-in as another process of the gateway composes it, on the same store. */
    startOtherProcess,
    addPerson,
    addProject,
    signIn,
    /** The session cookie of a person who signs in. */
    enter: async ({ email }: Person): Promise<string> => readCookie(await signIn(email).expect(201)),
    me: (cookie: string) => request(app).get('/v1/operators/me').set('Cookie', cookie),
    get: (path: string, cookie: string) => request(app).get(`/v1${path}`).set('Cookie', cookie),
    /** From a page of the gateway. */
    post: (path: string, cookie: string, body: object) =>
      request(app)
        .post(`/v1${path}`)
        .set({ ...SAME_ORIGIN, ...(cookie !== '' && { Cookie: cookie }) })
        .send(body),
    patch: (path: string, cookie: string, body: object) =>
      request(app)
        .patch(`/v1${path}`)
        .set({ ...SAME_ORIGIN, Cookie: cookie })
        .send(body),
    delete: (path: string, cookie: string) =>
      request(app)
        .delete(`/v1${path}`)
        .set({ ...SAME_ORIGIN, Cookie: cookie }),
  };
}

/** The session cookie of a reply, as a browser sends it back. */
export function readCookie(response: request.Response): string {
  return readCookies(response).find((pair) => pair.startsWith(SESSION_COOKIE)) ?? '';
}

/** Every cookie of a reply. */
export function readCookies(response: request.Response): string[] {
  return (response.get('Set-Cookie') ?? []).map((field) => field.split(';', 1)[0] ?? '');
}
