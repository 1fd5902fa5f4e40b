import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { hostCookie, hostCookieName, readCookie } from '../http/cookies.ts';
import { HttpError } from '../http/errors.ts';
import { readUserToken } from '../identity/user-jwt/user-jwt.ts';
import type { VerifiedUser } from '../identity/verification/user-rights.ts';
import { newId } from '../lib/ids.ts';
import { createOpaqueToken, sha256 } from '../lib/opaque-tokens.ts';
import { attemptSchema } from '../oauth/openid-sign-in.ts';
import type { Kit } from '../platform/kit.ts';
import type { SealContext } from '../platform/vault.ts';
import { INTERACTION_SECONDS, type Interaction } from './authorization-server.ts';
import { assertMandateGiven, pickRights } from './rights.ts';
import { type SignInRow, signInsStore } from './sign-ins.store.ts';

const personSchema = z.object({
  subject: z.string(),
  issuedAtMs: z.number(),
  rights: z.record(z.string(), z.unknown()),
  /** What the person is called on the page, where that is not the id. */
  shownAs: z.string().optional(),
});
const openidSchema = attemptSchema.extend({ issuer: z.string(), clientId: z.string() });
const contentSchema = z.object({
  uid: z.string(),
  /** On the way to the project's OpenID provider. */
  openid: openidSchema.optional(),
  /** `denied`: the provider has refused the person. */
  person: z.union([personSchema, z.literal('denied')]).optional(),
});

/** Who has signed in, as the application's token says, or its OpenID provider's. */
export type SignedIn = z.output<typeof personSchema>;

/** What the browser has that began: of a person who is back in it, or of one who still has to sign in. */
export type OwnSignIn = {
  readonly id: string;
  readonly person: SignedIn | 'denied' | undefined;
  /** Has to come back with the form, so that no other site's page can send it. */
  readonly formToken: string;
};

/** What a sign-in at an OpenID provider has to come back with, and the provider. */
export type OpenIdAttempt = z.output<typeof openidSchema>;

export type SignInsDependencies = Pick<Kit, 'db' | 'vault' | 'publicUrl'> & {
  verifyUserToken(
    projectId: string,
    token: string,
    networkOfCaller: () => string,
  ): VerifiedUser | Promise<VerifiedUser>;
};

type TakenAttempt = {
  readonly uid: string;
  readonly openid: OpenIdAttempt;
  readonly row: SignInRow;
  /** Stands in the place of the state's. */
  readonly spentHash: Buffer;
};

export type SignIns = ReturnType<typeof createSignIns>;

/**
 * Signing in at the application, and back. By its page, three things belong together: the browser in which the client began
 * (a cookie), the token (its `nonce` is the state that this browser was sent away with), and the way back (a hand-over code
 * that only the browser gets which brought the token). So neither a stranger's token counts here, nor a person's token for
 * what a stranger has begun. At its OpenID provider the browser itself comes back with the state, by a link, and the cookie
 * with it.
 */
export function createSignIns({ db, vault, publicUrl, verifyUserToken }: SignInsDependencies) {
  const cookieOf = (request: IncomingMessage, uid: string) =>
    readCookie(request, hostCookieName(nameOf(uid), publicUrl));

  function seal(id: string, projectId: string, content: z.input<typeof contentSchema>): string {
    return vault.seal(JSON.stringify(content), contextOf(id, projectId));
  }

  function open({ id, projectId, personSealed }: SignInRow) {
    return contentSchema.parse(JSON.parse(vault.open(personSealed, contextOf(id, projectId))));
  }

  return {
    /** The sign-in of this browser; undefined where none has begun in it. Throws where another browser has begun it. */
    async findOwn(request: IncomingMessage, uid: string): Promise<OwnSignIn | undefined> {
      const row = await signInsStore.findByInteraction(db, sha256(uid));
      if (row === undefined) return undefined;
      const cookie = cookieOf(request, uid);
      if (cookie === undefined || !timingSafeEqual(sha256(cookie), row.browserHash))
        throw new HttpError('agent_sign_in_invalid');
      const { person } = open(row);
      const formToken = sha256(`form ${cookie}`).toString('base64url');
      return { id: row.id, person: row.isConfirmed ? person : undefined, formToken };
    },

    /** The cookie that the browser is known by when it comes back, with the state that it is sent away with. */
    async begin(
      request: IncomingMessage,
      { uid, projectId }: Interaction,
      { state, openid }: { readonly state: string; readonly openid?: OpenIdAttempt },
    ): Promise<string> {
      const id = newId();
      const browser = cookieOf(request, uid) ?? createOpaqueToken('').token;
      const isOwn = await signInsStore.begin(db, {
        ...{ id, projectId, stateHash: sha256(state), lifetimeSeconds: INTERACTION_SECONDS },
        ...{ interactionHash: sha256(uid), browserHash: sha256(browser) },
        personSealed: seal(id, projectId, { uid, openid }),
      });
      if (!isOwn) throw new HttpError('agent_sign_in_invalid');
      return hostCookie(nameOf(uid), browser, publicUrl, INTERACTION_SECONDS);
    },

    /** Takes the state of a sign-in at an OpenID provider out of use, in the browser in which it began. */
    async takeAttempt(request: IncomingMessage, projectId: string, state: string): Promise<TakenAttempt> {
      const stateHash = sha256(state);
      const row = await signInsStore.findByState(db, stateHash);
      const { uid, openid } = row?.projectId === projectId ? open(row) : {};
      if (row === undefined || uid === undefined || openid === undefined)
        throw new HttpError('agent_sign_in_invalid');
      const cookie = cookieOf(request, uid);
      const isOwn = cookie !== undefined && timingSafeEqual(sha256(cookie), row.browserHash);
      const spentHash = createOpaqueToken('').hash;
      if (!isOwn || !(await signInsStore.spendState(db, stateHash, spentHash)))
        throw new HttpError('agent_sign_in_invalid');
      return { uid, openid, row, spentHash };
    },

    /** Keeps what has become of it. */
    async settleAttempt({ row, uid, spentHash }: TakenAttempt, person: SignedIn | 'denied'): Promise<void> {
      const personSealed = seal(row.id, row.projectId, { uid, person });
      const isKept = await signInsStore.settleAttempt(db, spentHash, personSealed);
      if (!isKept) throw new HttpError('agent_sign_in_invalid');
    },

    /** Takes the token of the application's page. Gives the hand-over code, which goes back by the browser that brought it. */
    async accept(state: string, token: string, networkOfCaller: () => string): Promise<string> {
      const stateHash = sha256(state);
      const row = await signInsStore.findByState(db, stateHash);
      if (row === undefined) throw new HttpError('agent_sign_in_invalid');
      const { projectId } = row;
      const { uid, openid } = open(row);
      if (openid !== undefined) throw new HttpError('agent_sign_in_invalid');
      const user = await verifyUserToken(projectId, token, networkOfCaller);
      const payload = readUserToken(token)?.payload;
      const { nonce, sub, iat } = payload ?? {};
      // Any other token of the person may be in an agent's hands, and must not become a lasting consent.
      if (payload === undefined || nonce !== state) throw new HttpError('agent_sign_in_unbound');
      assertMandateGiven(user);
      const issuedAtMs = typeof iat === 'number' ? Math.floor(iat * 1000) : 0;
      const rights = pickRights(payload);
      if (rights === undefined) throw new HttpError('token_invalid');
      const person = { subject: String(sub), issuedAtMs, rights };
      const { token: handover, hash: handoverHash } = createOpaqueToken('');
      const isFirst = await signInsStore.setPerson(db, {
        ...{ stateHash, handoverHash, spentHash: createOpaqueToken('').hash },
        personSealed: seal(row.id, projectId, { uid, person }),
      });
      if (!isFirst) throw new HttpError('agent_sign_in_invalid');
      return handover;
    },

    /** The interaction that goes on, in the browser in which it began. */
    async resume(request: IncomingMessage, handover: string): Promise<string> {
      const handoverHash = sha256(handover);
      for (const browser of listBrowsers(request, publicUrl)) {
        const row = await signInsStore.confirm(db, handoverHash, sha256(browser));
        if (row !== undefined) return open(row).uid;
      }
      throw new HttpError('agent_sign_in_invalid');
    },

    remove: signInsStore.remove,
  };
}

const COOKIE = 'gateway_agent_sign_in_';
const COOKIES_TRIED_MAX = 8;

/** Each sign-in has a cookie of its own, so that two at a time do not disturb each other. */
function nameOf(uid: string): string {
  return `${COOKIE}${sha256(uid).toString('hex').slice(0, 16)}`;
}

function listBrowsers({ headers }: IncomingMessage, publicUrl: string): string[] {
  const prefix = hostCookieName(COOKIE, publicUrl);
  return (headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(prefix))
    .map((pair) => pair.slice(pair.indexOf('=') + 1))
    .slice(-COOKIES_TRIED_MAX);
}

function contextOf(rowId: string, projectId: string): SealContext {
  return { table: 'agent_sign_ins', column: 'person_sealed', rowId, projectId };
}
