import { maskToNetwork } from '../../http/client-address.ts';
import { HttpError } from '../../http/errors.ts';
import type { Db } from '../../platform/postgres/database.ts';
import type { Account, OperatorsStore } from '../accounts/operators.store.ts';
import { isOutdatedHash } from '../accounts/password.ts';
import type { PasswordWork } from '../accounts/password-work.ts';
import type { BrowserRequest } from './browser-sessions.ts';
import type { KnownDevices } from './known-devices.ts';
import type { SignInInput } from './sessions.schema.ts';
import type { SignInThrottle } from './sign-in-throttle.ts';

export type SignIn = ReturnType<typeof createSignIn>;

/** What proved who is there. `passwordHash` is the one that the password was compared with. */
export type Proof = { readonly account: Account; readonly secondFactor: boolean };

/**
 * Judges e-mail address, password and code. Answers and their cost are the same for an address without an account as
 * for a wrong password; only the right password gets the answer that a code is missing.
 */
export function createSignIn(deps: {
  db: Db;
  operators: OperatorsStore;
  passwords: PasswordWork;
  throttle: SignInThrottle;
  devices: KnownDevices;
  /**
   * True where the code is right, false where the operator has no second factor. Throws `otp_required` or `otp_invalid`.
   */
  checkSecondFactor(operatorId: string, otp: string | undefined): Promise<boolean>;
}) {
  const { db, operators, passwords, throttle, devices } = deps;

  /** The password is right. Rejects with `sign_in_refused`, `rate_limited` or `overloaded`. */
  async function provePassword(
    request: BrowserRequest,
    given: { email: string; password: string },
  ): Promise<Account> {
    const network = maskToNetwork(request.ip ?? 'unknown');
    const account = await operators.findByEmail(db, given.email);
    const isKnownDevice = devices.isKnown(request, account?.id);
    const attempt = { email: given.email, network, isKnownDevice };
    await throttle.admit(attempt);
    const isRight = await passwords.verify(network, given.password, account?.passwordHash);
    if (isRight && account) return keepCurrent(account, network, given.password);
    await throttle.countFailure(attempt);
    throw new HttpError('sign_in_refused');
  }

  /** Replaces a hash that was made with another function or other costs. */
  async function keepCurrent(account: Account, network: string, password: string): Promise<Account> {
    if (account.passwordHash === null || !isOutdatedHash(account.passwordHash)) return account;
    const passwordHash = await passwords.hash(network, password);
    await operators.replaceHash(db, account, passwordHash);
    return { ...account, passwordHash };
  }

  return {
    provePassword,

    /** Password and second factor are right. Rejects with `otp_required` and `otp_invalid`, too. */
    async prove(request: BrowserRequest, given: SignInInput): Promise<Proof> {
      const account = await provePassword(request, given);
      return { account, secondFactor: await deps.checkSecondFactor(account.id, given.otp) };
    },

    /** Throws `sign_in_refused` where the password was changed since it was compared. Locks the operator. */
    async assertUnchanged(trx: Db, { account }: Proof): Promise<void> {
      const now = await operators.lock(trx, account.id);
      if (now?.passwordHash !== account.passwordHash) throw new HttpError('sign_in_refused');
    },
  };
}
