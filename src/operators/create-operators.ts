import type { z } from 'zod';
import type { RecordActivity } from '../activity/record.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { type Chore, HOURLY } from '../platform/chores.ts';
import type { Kit } from '../platform/kit.ts';
import type { SharedLimits } from '../platform/limits/shared-limits.ts';
import type { Log } from '../platform/logger.ts';
import type { Mailer } from '../platform/mailer.ts';
import type { OidcConfig } from '../settings/oidc.ts';
import { createIdentitiesStore, identitySchema } from './accounts/identities.store.ts';
import { createOperatorsStore, type OperatorsStore } from './accounts/operators.store.ts';
import { createPasswordWork } from './accounts/password-work.ts';
import { createGatewayOwnersEndpoints } from './gateway/gateway-owners.router.ts';
import { createGatewayOwnersStore } from './gateway/gateway-owners.store.ts';
import { createSetup, type SetupDependencies } from './gateway/setup.ts';
import { createOperatorsEndpoints } from './own-account/operators.router.ts';
import { createPasswordResetsEndpoints } from './own-account/password-resets.router.ts';
import { createPasswordResetsStore } from './own-account/password-resets.store.ts';
import {
  createVerifyAddress,
  type VerifyAddress,
  type VerifyAddressDependencies,
} from './own-account/verify-address.ts';
import { createPersonalAccessTokensEndpoints } from './personal-access-tokens/personal-access-tokens.router.ts';
import { createPersonalAccessTokensStore } from './personal-access-tokens/personal-access-tokens.store.ts';
import { usualTokenEnd } from './personal-access-tokens/token-lifetime.ts';
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
import { createWelcomeNewcomer, type JoinEveryProject } from './single-sign-on/welcome-newcomer.ts';

/** How long an operator may take at the identity provider, and then for the password that links an account. */
const SINGLE_SIGN_ON_SECONDS = 600;

export type OperatorsInput = Pick<Kit, 'db' | 'vault' | 'outbound' | 'now' | 'publicUrl'> & {
  readonly log: Pick<Log, 'warn'>;
  readonly mailer: Mailer;
  readonly recordActivity: RecordActivity;
  /** Undefined: operators sign in with passwords only. */
  readonly oidc: OidcConfig | undefined;
  readonly allowPrivateNetworks: boolean;
  /** Left out: this process is the only one. */
  readonly sharedLimits?: SharedLimits;
  readonly personalAccessTokenDaysMax: number;
  readonly joinEveryProject: JoinEveryProject;
  readonly endInvitations: VerifyAddressDependencies['endInvitations'];
};

export type Operators = ReturnType<typeof createOperators>;

/** Builds the operators: how they sign in, and what they see of themselves. */
export function createOperators(input: OperatorsInput) {
  const { db, publicUrl, now, personalAccessTokenDaysMax: daysMax } = input;
  const parts = buildSignIn(input);
  const { sessions, passwordResets, singleSignOn } = parts;
  return {
    operators: parts.operators,
    sessions,
    personalAccessTokens: parts.personalAccessTokens,
    passwords: parts.passwords,
    browserSessions: parts.browserSessions,
    signIn: parts.signIn,
    verifyAddress: parts.verifyAddress,
    presence: parts.presence,
    /** Undefined where no identity provider is configured. */
    singleSignOnRouter: singleSignOn?.router,
    endpoints: [
      ...createSessionsEndpoints({
        ...parts,
        singleSignOnUrl: singleSignOn && `${publicUrl}${SINGLE_SIGN_ON_PATH}`,
        linkWaiting: singleSignOn?.linkWaiting ?? (async () => undefined),
        canMail: input.mailer.canMail,
      }),
      ...createOperatorsEndpoints(parts),
      ...createGatewayOwnersEndpoints({ ...parts, gatewayOwners: createGatewayOwnersStore() }),
      ...createOtpEndpoints(parts),
      ...createPasswordResetsEndpoints(parts),
      ...createPersonalAccessTokensEndpoints({ ...parts, daysMax }),
    ] satisfies Endpoint[],
    /** Apart from the others, since the first set-up also makes a project. */
    setupEndpoints: <ProjectSchema extends z.ZodType<unknown, { id: string }>>(
      above: Pick<SetupDependencies<ProjectSchema>, 'projectSchema' | 'createFirstProject'>,
    ): Endpoint[] =>
      createSetup({ ...parts, ...above, tokenEnd: () => usualTokenEnd(now(), daysMax) }).endpoints,
    chores: [
      { name: 'ended sessions', ...HOURLY, run: sessions.purgeOfAnyOperator },
      { name: 'old links to a new password', ...HOURLY, run: () => passwordResets.purgeOfAnyOperator(db) },
    ] satisfies Chore[],
  };
}

function buildSignIn(input: OperatorsInput) {
  const { db, vault, recordActivity, now, publicUrl } = input;
  const operators = createOperatorsStore();
  const sessions = createSessionsStore({ db });
  const passwords = createPasswordWork();
  const devices = createKnownDevices({ vault, publicUrl, now });
  const secondFactor = createSecondFactor({ ...input, otps: createOtpStore() });
  const checkSecondFactor = secondFactor.check;
  const browserSessions = createBrowserSessions({ sessions, operators, devices, publicUrl, recordActivity });
  const throttle = createSignInThrottle(input);
  const signIn = createSignIn({ db, operators, passwords, throttle, devices, checkSecondFactor });
  const verifyAddress = createVerifyAddress(input);
  return {
    ...input,
    operators,
    sessions,
    passwords,
    secondFactor,
    checkSecondFactor,
    browserSessions,
    signIn,
    verifyAddress,
    presence: createProvePresence({ sessions, signIn }),
    passwordResets: createPasswordResetsStore(),
    personalAccessTokens: createPersonalAccessTokensStore({ db }),
    singleSignOn: buildSingleSignOn({ ...input, operators, browserSessions, verifyAddress }),
  };
}

function buildSingleSignOn(
  input: OperatorsInput & {
    readonly operators: OperatorsStore;
    readonly browserSessions: BrowserSessions;
    readonly verifyAddress: VerifyAddress;
  },
) {
  const { oidc, vault, publicUrl, now } = input;
  if (oidc === undefined) return undefined;
  const cookie = { vault, publicUrl, now, lifetimeSeconds: SINGLE_SIGN_ON_SECONDS };
  const singleSignOn = createSingleSignOn({
    ...input,
    identities: createIdentitiesStore(),
    allowedDomains: oidc.allowedDomains,
    links: createSealedCookie({ ...cookie, name: 'gateway_link', schema: identitySchema }),
    welcome: createWelcomeNewcomer({ ...input, role: oidc.defaultRole }),
  });
  const router = createSingleSignOnRouter({
    ...input,
    singleSignOn,
    identityProvider: createIdentityProvider({
      ...oidc,
      ...input,
      redirectUrl: `${publicUrl}${SINGLE_SIGN_ON_PATH}/callback`,
      allowsHttp: input.allowPrivateNetworks,
    }),
    attempts: createSealedCookie({ ...cookie, name: 'gateway_oidc', schema: waitingSchema }),
  });
  return { router, linkWaiting: singleSignOn.linkWaiting };
}
