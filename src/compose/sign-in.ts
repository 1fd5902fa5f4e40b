import type { RecordActivity } from '../activity/record.ts';
import type { Config } from '../config.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { createBrowserSessions } from '../operators/browser-sessions.ts';
import { createKnownDevices } from '../operators/known-devices.ts';
import { createOperatorsEndpoints } from '../operators/operators.router.ts';
import { createOperatorsStore } from '../operators/operators.store.ts';
import { createOtpEndpoints } from '../operators/otp.router.ts';
import { createOtpStore } from '../operators/otp.store.ts';
import { createPasswordResetsEndpoints } from '../operators/password-resets.router.ts';
import { createPasswordResetsStore } from '../operators/password-resets.store.ts';
import { createPasswordWork } from '../operators/password-work.ts';
import { createSecondFactor } from '../operators/second-factor.ts';
import { createSessionsEndpoints } from '../operators/sessions.router.ts';
import { createSessionsStore } from '../operators/sessions.store.ts';
import { createSignIn } from '../operators/sign-in.ts';
import { createSignInThrottle } from '../operators/sign-in-throttle.ts';
import { type Chore, HOURLY } from '../platform/chores.ts';
import type { Log } from '../platform/logger.ts';
import type { Mailer } from '../platform/mailer.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { Vault } from '../platform/vault.ts';

/** Composes how operators sign in: passwords, second factors, sessions, what they see of themselves. */
export function composeSignIn(input: {
  config: Pick<Config, 'publicUrl' | 'oidc'>;
  db: Db;
  vault: Vault;
  mailer: Mailer;
  recordActivity: RecordActivity;
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
  const devices = createKnownDevices({ vault, publicUrl });
  const throttle = createSignInThrottle();
  const secondFactor = createSecondFactor({ db, otps, vault, throttle, recordActivity, publicUrl, now });
  const checkSecondFactor = secondFactor.check;
  const browserSessions = createBrowserSessions({ sessions, operators, devices, publicUrl, recordActivity });
  const signIn = createSignIn({ db, operators, passwords, throttle, devices, checkSecondFactor });
  const shared = {
    ...{ db, publicUrl, operators, sessions, passwords, browserSessions, signIn, recordActivity },
    ...{ secondFactor, checkSecondFactor, passwordResets, mailer, log },
  };

  return {
    operators,
    sessions,
    passwords,
    browserSessions,
    signIn,
    endpoints: [
      ...createSessionsEndpoints({ ...shared, singleSignOnUrl: undefined, canMail: mailer.canMail }),
      ...createOperatorsEndpoints(shared),
      ...createOtpEndpoints(shared),
      ...createPasswordResetsEndpoints(shared),
    ] satisfies Endpoint[],
    chores: [
      { name: 'ended sessions', ...HOURLY, run: sessions.purgeOfAnyOperator },
      { name: 'old links to a new password', ...HOURLY, run: () => passwordResets.purgeOfAnyOperator(db) },
    ] satisfies Chore[],
  };
}
