import type { RecordActivity } from '../activity/record.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { createRateLimiter } from '../lib/rate-limit.ts';
import { type Chore, HOURLY } from '../platform/chores.ts';
import type { Kit } from '../platform/kit.ts';
import type { SharedLimits } from '../platform/limits/shared-limits.ts';
import { createAddresses } from './addresses.ts';
import { type AgentTokensDependencies, createAgentTokens, readConsentingPerson } from './agent-tokens.ts';
import { describeWithdrawal } from './allow.ts';
import { artifactsStore } from './artifacts.store.ts';
import { createAuthorizationServers } from './authorization-server.ts';
import { type ConsentsDependencies, createConsentsEndpoints } from './consents.router.ts';
import { consentsStore } from './consents.store.ts';
import { createMetadataRouter } from './metadata.router.ts';
import { createOpenIdPeople } from './openid-people.ts';
import { registeredClientsStore } from './registered-clients.store.ts';
import { createRegistrationRouter } from './registration.router.ts';
import { createSignInRouter, type SignInDependencies } from './sign-in.router.ts';
import { createSignIns } from './sign-ins.ts';

const REVOCATIONS_INTERVAL_MS = 10_000;
/** A statement takes 65,535 parameters, and each entry of the audit log has ten. */
const REVOKED_AT_ONCE = 500;

type AgentSignInInput = Pick<Kit, 'db' | 'vault' | 'log' | 'now' | 'publicUrl' | 'outbound'> &
  Pick<AgentTokensDependencies, 'changes' | 'verifyUserToken' | 'admitUser' | 'failedPerMinute'> &
  Pick<SignInDependencies, 'providers' | 'findBrand' | 'findAgentSignIn' | 'endUserId'> & {
    readonly recordActivity: RecordActivity;
    readonly sharedLimits: Pick<SharedLimits, 'limit' | 'limiter'>;
    /** Of one address; 0: any number. */
    readonly pagesPerMinute: number;
    readonly allowPrivateNetworks: boolean;
  };

/** Builds the authorization server for the MCP door, the pages on which persons decide, and what verifies its tokens. */
export function createAgentSignIn(input: AgentSignInInput) {
  const { db, recordActivity, pagesPerMinute: limit } = input;
  const consents = consentsStore;
  const addresses = createAddresses(input.publicUrl);

  async function endConsent(id: string): Promise<void> {
    await db.transaction(async (trx) => {
      const ended = await consents.remove(trx, id);
      if (ended) await recordActivity(trx, describeWithdrawal(ended, { kind: 'gateway' }, 'client'));
    });
  }

  /** Answers how many have ended. */
  async function endRevoked(): Promise<number> {
    return db.transaction(async (trx) => {
      const ended = await consents.removeRevokedOfAnyProject(trx, REVOKED_AT_ONCE);
      await recordActivity(
        trx,
        ended.map((consent) => describeWithdrawal(consent, { kind: 'gateway' }, 'revocation')),
      );
      return ended.length;
    });
  }

  async function lacksMandate(consentId: string): Promise<boolean> {
    const consent = await consents.findOfAnyProject(db, consentId);
    if (consent === undefined) return false;
    const { mandate } = await input.admitUser(readConsentingPerson(consent), () => consent.projectId);
    return mandate?.refusal?.code === 'mandate_required';
  }

  const stores = { consents, artifacts: artifactsStore, clients: registeredClientsStore };
  const limiter = limit > 0 ? createRateLimiter({ limit, windowSeconds: 60 }) : undefined;
  const shared = { ...input, ...stores, addresses, endConsent, lacksMandate, limiter };
  const servers = createAuthorizationServers(shared);
  return {
    challengeOf: addresses.challengeOf,
    verifyToken: createAgentTokens(shared),
    routers: [
      createMetadataRouter(shared),
      createRegistrationRouter({ ...shared, ...servers }),
      createSignInRouter({
        ...shared,
        ...servers,
        signIns: createSignIns(input),
        openIdPeople: createOpenIdPeople(input),
      }),
    ],
    endpoints: (above: Pick<ConsentsDependencies, 'access'>): Endpoint[] =>
      createConsentsEndpoints({ ...shared, ...above }),
    chores: [
      {
        name: 'consents of revoked tokens',
        intervalMs: REVOCATIONS_INTERVAL_MS,
        async run(signal) {
          while (!signal.aborted && (await endRevoked()) > 0);
        },
      },
      { name: 'old consents', ...HOURLY, run: (signal) => consents.purgeOfAnyProject(db, signal) },
    ] satisfies Chore[],
  };
}
