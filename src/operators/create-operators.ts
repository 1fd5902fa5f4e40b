import type { RecordActivity } from '../activity/record.ts';
import type { Config } from '../config.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { type Chore, HOURLY } from '../platform/chores.ts';
import type { Log } from '../platform/logger.ts';
import type { Mailer } from '../platform/mailer.ts';
import type { Outbound } from '../platform/outbound.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { Vault } from '../platform/vault.ts';
import type { Role } from '../projects/access.store.ts';
import { createIdentitiesStore, identitySchema } from './accounts/identities.store.ts';
import { createOperatorsStore, type OperatorsStore } from './accounts/operators.store.ts';
import { createPasswordWork } from './accounts/password-work.ts';
import { createGatewayOwnersEndpoints } from './gateway/gateway-owners.router.ts';
import { createGatewayOwnersStore } from './gateway/gateway-owners.store.ts';
import { createOperatorsEndpoints } from './own-account/operators.router.ts';
import { createPasswordResetsEndpoints } from './own-account/password-resets.router.ts';
import { createPasswordResetsStore } from './own-account/password-resets.store.ts';
import {
  createVerifyAddress,
  type VerifyAddress,
  type VerifyAddressDependencies,
} from './own-account/verify-address.ts';
import { createPersonalAccessTokensStore } from './personal-access-tokens/personal-access-tokens.store.ts';
import { createOtpEndpoints } from './second-factor/otp.router.ts';
import { createOtpStore } from './second-factor/otp.store.ts';
import { createSecondFactor } from './second-factor/second-factor.ts';
import { type BrowserSessions, createBrowserSessions } from './sessions/browser-sessions.ts';
import { createKnownDevices } from './sessions/known-devices.ts';
import { createProvePresence } from './sessions/prove-presence.ts';
import { createSealedCookie } from './sessions/sealed-cookies.ts';
import { createSessionsEndpoints } from './sessions/sessions.router.ts';
import { createSessionsStore } from './sessions/sessions.store.ts';
import { createSignIn } from './sessions/sign-in.ts';
import { createSignInThrottle } from './sessions/sign-in-throttle.ts';
import { createIdentityProvider } from './single-sign-on/identity-provider.ts';
import {
  createSingleSignOnRouter,
  SINGLE_SIGN_ON_PATH,
  waitingSchema,
} from './single-sign-on/single-sign-on.router.ts';
import { createSingleSignOn } from './single-sign-on/single-sign-on.ts';

/** How long an operator may take at the identity provider, and then for the password that links an account. */
const SINGLE_SIGN_ON_SECONDS = 600;

/** Composes how operators sign in: passwords, second factors, sessions, what they see of themselves. */
export function createOperators(input: {
  config: Pick<Config, 'publicUrl' | 'oidc' | 'allowPrivateNetworks'>;
  outbound: Outbound;
  /** Makes an operator a member of every project there is, with this role. */
  joinEveryProject(trx: Db, operatorId: string, role: Role): Promise<string[]>;
  db: Db;
  vault: Vault;
  mailer: Mailer;
  recordActivity: RecordActivity;
  endInvitations: VerifyAddressDependencies['endInvitations'];
  now(): number;
  log: Pick<Log, 'warn'>;
}) {
  const { db, vault, mailer, recordActivity, now, log } = input;
  const { publicUrl } = input.config;
  const operators = createOperatorsStore();
  const sessions = createSessionsStore({ db });
  const passwordResets = createPasswordResetsStore();
  const otps = createOtpStore();
  const passwords = createPasswordWork();
  const devices = createKnownDevices({ vault, publicUrl, now });
  const throttle = createSignInThrottle();
  const secondFactor = createSecondFactor({ db, otps, vault, recordActivity, publicUrl, now });
  const checkSecondFactor = secondFactor.check;
  const browserSessions = createBrowserSessions({ sessions, operators, devices, publicUrl, recordActivity });
  const signIn = createSignIn({ db, operators, passwords, throttle, devices, checkSecondFactor });
  const presence = createProvePresence({ sessions, signIn });
  const personalAccessTokens = createPersonalAccessTokensStore({ db });
  const verifyAddress = createVerifyAddress(input);
  const singleSignOn = composeSingleSignOn({ ...input, operators, browserSessions, verifyAddress });
  const shared = {
    ...{ db, publicUrl, operators, sessions, passwords, browserSessions, signIn, recordActivity },
    ...{ secondFactor, checkSecondFactor, presence, passwordResets, mailer, log },
    ...{ personalAccessTokens, verifyAddress },
  };

  return {
    operators,
    sessions,
    passwords,
    browserSessions,
    signIn,
    verifyAddress,
    presence,
    /** Undefined where no identity provider is configured. */
    singleSignOnRouter: singleSignOn?.router,
    endpoints: [
      ...createSessionsEndpoints({
        ...shared,
        singleSignOnUrl: singleSignOn && `${publicUrl}${SINGLE_SIGN_ON_PATH}`,
        linkWaiting: singleSignOn?.linkWaiting ?? (async () => undefined),
        canMail: mailer.canMail,
      }),
      ...createOperatorsEndpoints(shared),
      ...createGatewayOwnersEndpoints({ ...shared, gatewayOwners: createGatewayOwnersStore() }),
      ...createOtpEndpoints(shared),
      ...createPasswordResetsEndpoints(shared),
    ] satisfies Endpoint[],
    chores: [
      { name: 'ended sessions', ...HOURLY, run: sessions.purgeOfAnyOperator },
      { name: 'old links to a new password', ...HOURLY, run: () => passwordResets.purgeOfAnyOperator(db) },
    ] satisfies Chore[],
  };
}

function composeSingleSignOn(input: {
  config: Pick<Config, 'publicUrl' | 'oidc' | 'allowPrivateNetworks'>;
  outbound: Outbound;
  db: Db;
  vault: Vault;
  operators: OperatorsStore;
  browserSessions: BrowserSessions;
  recordActivity: RecordActivity;
  verifyAddress: VerifyAddress;
  joinEveryProject(trx: Db, operatorId: string, role: Role): Promise<string[]>;
  now(): number;
  log: Pick<Log, 'warn'>;
}) {
  const { vault, recordActivity, now, outbound } = input;
  const { oidc, publicUrl, allowPrivateNetworks } = input.config;
  if (oidc === undefined) return undefined;
  const cookie = { vault, publicUrl, now, lifetimeSeconds: SINGLE_SIGN_ON_SECONDS };
  const singleSignOn = createSingleSignOn({
    ...input,
    identities: createIdentitiesStore(),
    allowedDomains: oidc.allowedDomains,
    links: createSealedCookie({ ...cookie, name: 'gateway_link', schema: identitySchema }),
    async welcome(trx, { id: operatorId, email }, sourceAddress) {
      const role = oidc.defaultRole;
      if (role === undefined) return;
      for (const projectId of await input.joinEveryProject(trx, operatorId, role)) {
        await recordActivity(trx, {
          projectId,
          actor: { kind: 'operator', operatorId, sourceAddress },
          action: 'member.added',
          subjectId: operatorId,
          details: { email, role },
        });
      }
    },
  });
  const router = createSingleSignOnRouter({
    publicUrl,
    singleSignOn,
    identityProvider: createIdentityProvider({
      ...oidc,
      redirectUrl: `${publicUrl}${SINGLE_SIGN_ON_PATH}/callback`,
      allowsHttp: allowPrivateNetworks,
      outbound,
      now,
    }),
    attempts: createSealedCookie({ ...cookie, name: 'gateway_oidc', schema: waitingSchema }),
    log: input.log,
  });
  return { router, linkWaiting: singleSignOn.linkWaiting };
}
