import { HttpError } from '../http/errors.ts';
import { createFailedAttempts } from '../http/failed-attempts.ts';
import type { AdmittedPerson } from '../identity/verification/key-sets.ts';
import type { VerifiedUser } from '../identity/verification/user-rights.ts';
import { createFairQueue, QueueFullError } from '../lib/fair-queue.ts';
import { isUuid } from '../lib/ids.ts';
import { cutText } from '../lib/storable-text.ts';
import { readMembership } from '../mandates/membership.ts';
import { createReadingMandate } from '../mandates/reading.ts';
import { ACTORS_MAX, readTokenRights } from '../mandates/token-rights.ts';
import { joinMandates } from '../mandates/user-mandate.ts';
import { createAnnouncedCache } from '../platform/announced-cache.ts';
import type { Changes } from '../platform/change-notices.ts';
import type { Kit } from '../platform/kit.ts';
import type { SharedLimits } from '../platform/limits/shared-limits.ts';
import { isTransientStoreError } from '../platform/postgres/store-errors.ts';
import { artifactId } from './artifacts.ts';
import { type Consent, describeClient } from './consent.ts';
import type { ConsentsStore } from './consents.store.ts';

type MaybePromise<T> = T | Promise<T>;

/** As the library makes them; a user token has dots. */
const TOKEN_LENGTH = 43;
const TOKEN = /^[A-Za-z0-9_-]+$/;

const TOKENS_MAX = 10_000;
const READ_AT_A_TIME = 4;
const READING_PER_NETWORK_MAX = 50;
const READING_MAX = 500;
const ACTOR_LENGTH_MAX = 255;

const READ_ONLY = createReadingMandate('the person has allowed this client reading alone');

type Known = { readonly person: AdmittedPerson; readonly isReadOnly: boolean; readonly expiresAtMs: number };
type Context = { readonly projectId: string; readonly network: string };

export type AgentTokensDependencies = Pick<Kit, 'db' | 'now' | 'log'> & {
  readonly consents: Pick<ConsentsStore, 'findOfToken'>;
  readonly changes: Pick<Changes, 'subscribe'>;
  admitUser(person: AdmittedPerson, networkOfCaller: () => string): MaybePromise<VerifiedUser>;
  verifyUserToken(
    projectId: string,
    token: string,
    networkOfCaller: () => string,
  ): MaybePromise<VerifiedUser>;
  /** Unknown tokens of one network; 0: any number. */
  readonly failedPerMinute: number;
  /** Left out: this process is the only one. */
  readonly sharedLimits?: Pick<SharedLimits, 'limit'>;
};

/**
 * Verifies what clients bring to the MCP door: user tokens, and access tokens of the authorization server, which count
 * nowhere else. Those are random; each is looked up once and kept in memory, where a consent that ends is announced. Warm,
 * neither waits.
 */
export function createAgentTokens(deps: AgentTokensDependencies) {
  const { now } = deps;
  const reads = createFairQueue({
    running: READ_AT_A_TIME,
    waitingPerKeyMax: READING_PER_NETWORK_MAX,
    waitingMax: READING_MAX,
  });
  const failed =
    deps.failedPerMinute > 0
      ? createFailedAttempts({
          ...(deps.sharedLimits && { sharedLimits: deps.sharedLimits }),
          perMinute: deps.failedPerMinute,
          name: 'refused tokens of agents',
        })
      : undefined;
  const cache = createAnnouncedCache<Known, Context>({
    now,
    entriesMax: TOKENS_MAX,
    groupOf: (_key, { projectId }) => projectId,
    async load(key, { projectId, network }) {
      const token = key.slice(projectId.length);
      const found = await reads.run(network, () =>
        deps.consents.findOfToken(deps.db, projectId, artifactId('AccessToken', token)),
      );
      return found && prepare(found);
    },
    onBackgroundError: (error) => deps.log.warn({ err: error }, 'a consent could not be read'),
  });
  deps.changes.subscribe({
    changed({ table, projectId }) {
      if (table === 'agent_consents') cache.change(projectId, undefined);
    },
    markAllStale: () => cache.markAllStale(),
    setHasNotices: (value) => cache.setHasNotices(value),
  });

  function admit(known: Known, networkOfCaller: () => string): MaybePromise<VerifiedUser> {
    if (known.expiresAtMs <= now()) throw new HttpError('token_expired');
    const user = deps.admitUser(known.person, networkOfCaller);
    return user instanceof Promise ? user.then((found) => hold(found, known)) : hold(user, known);
  }

  async function find(key: string, projectId: string, networkOfCaller: () => string): Promise<VerifiedUser> {
    const network = networkOfCaller();
    const { value } = await cache.load(key, { projectId, network }).catch(unavailable);
    if (value === null) throw (await failed?.count(network)) ?? new HttpError('token_invalid');
    return admit(value, networkOfCaller);
  }

  return (given: string, token: string, networkOfCaller: () => string): MaybePromise<VerifiedUser> => {
    if (token.length !== TOKEN_LENGTH || !TOKEN.test(token))
      return deps.verifyUserToken(given, token, networkOfCaller);
    const projectId = given.toLowerCase();
    if (!isUuid(projectId)) throw new HttpError('token_invalid');
    const key = `${projectId}${token}`;
    const held = cache.current(key, { projectId, network: '' });
    return held ? admit(held, networkOfCaller) : find(key, projectId, networkOfCaller);
  };
}

function prepare({ consent, expiresAt }: { readonly consent: Consent; readonly expiresAt: Date }): Known {
  return {
    person: readConsentingPerson(consent),
    isReadOnly: consent.access === 'read',
    expiresAtMs: expiresAt.getTime(),
  };
}

/** For whom tokens of the consent speak. */
export function readConsentingPerson(consent: Consent): AdmittedPerson {
  const { projectId, userId: subject, signedInAt } = consent;
  const rights = readTokenRights(consent.rights);
  const actors = [actorOf(consent), ...(rights?.actors ?? [])].slice(0, ACTORS_MAX);
  const own = { mandate: undefined, mandateId: undefined, exchange: undefined, ...rights, actors };
  return {
    ...{ projectId, subject, issuedAtMs: signedInAt.getTime(), rights: own },
    membership: readMembership(consent.rights) ?? undefined,
  };
}

function actorOf({ clientId, clientName }: Consent) {
  const { host } = describeClient(clientId, clientName);
  const named = host === null ? clientName : `${clientName} (${host})`;
  const name = (clientName === null ? host : named) ?? clientId;
  return { id: cutText(clientId, ACTOR_LENGTH_MAX), name: cutText(name, ACTOR_LENGTH_MAX) };
}

/** With what the person has left out of it. */
function hold(user: VerifiedUser, { isReadOnly }: Known): VerifiedUser {
  return isReadOnly ? { ...user, mandate: joinMandates(user.mandate, READ_ONLY) } : user;
}

function unavailable(error: unknown): never {
  if (error instanceof QueueFullError) throw new HttpError('overloaded', { headers: { 'Retry-After': '1' } });
  throw isTransientStoreError(error) ? new HttpError('store_unavailable', { cause: error }) : error;
}
