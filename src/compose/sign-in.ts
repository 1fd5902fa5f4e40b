import type { RecordActivity } from '../activity/record.ts';
import type { Config } from '../config.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { createBrowserSessions } from '../operators/browser-sessions.ts';
import { createKnownDevices } from '../operators/known-devices.ts';
import { createOperatorsEndpoints } from '../operators/operators.router.ts';
import { createOperatorsStore } from '../operators/operators.store.ts';
import { createPasswordWork } from '../operators/password-work.ts';
import { createSessionsEndpoints } from '../operators/sessions.router.ts';
import { createSessionsStore } from '../operators/sessions.store.ts';
import { createSignIn } from '../operators/sign-in.ts';
import { createSignInThrottle } from '../operators/sign-in-throttle.ts';
import { type Chore, HOURLY } from '../platform/chores.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { Vault } from '../platform/vault.ts';

/** Composes how operators sign in: passwords, sessions, what they see of themselves. */
export function composeSignIn(input: {
  config: Pick<Config, 'publicUrl'>;
  db: Db;
  vault: Vault;
  recordActivity: RecordActivity;
}) {
  const { db, vault, recordActivity } = input;
  const { publicUrl } = input.config;
  const operators = createOperatorsStore();
  const sessions = createSessionsStore({ db });
  const passwords = createPasswordWork();
  const devices = createKnownDevices({ vault, publicUrl });
  const throttle = createSignInThrottle();
  const browserSessions = createBrowserSessions({ sessions, operators, devices, publicUrl, recordActivity });
  const signIn = createSignIn({
    db,
    operators,
    passwords,
    throttle,
    devices,
    checkSecondFactor: async () => false,
  });
  const shared = { db, publicUrl, operators, sessions, passwords, browserSessions, signIn, recordActivity };

  return {
    sessions,
    passwords,
    browserSessions,
    endpoints: [
      ...createSessionsEndpoints({ ...shared, singleSignOnUrl: undefined, canMail: false }),
      ...createOperatorsEndpoints(shared),
    ] satisfies Endpoint[],
    chores: [{ name: 'ended sessions', ...HOURLY, run: sessions.purgeOfAnyOperator }] satisfies Chore[],
  };
}
