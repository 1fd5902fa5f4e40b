import { randomBytes } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import type { RecordActivity } from '../../activity/record.ts';
import { HttpError } from '../../http/errors.ts';
import { sha256 } from '../../lib/opaque-tokens.ts';
import type { Db } from '../../platform/postgres/database.ts';
import type { Vault } from '../../platform/vault.ts';
import type { OtpStore } from './otp.store.ts';

const ISSUER = 'Integration Gateway';
const PERIOD_SECONDS = 30;
/** RFC 6238 section 5.2: one step of delay either way. */
const WINDOW_STEPS = 1;
/** RFC 4226 section 4, R6: 160 bits. */
const SECRET_BYTES = 20;
const RECOVERY_CODES = 10;
/** 80 bits: as good as unguessable, so that a plain hash is enough. */
const RECOVERY_CODE_BYTES = 10;
const CODE = /^\d{6}$/;
/** Ten in a quarter of an hour. */
const GUESSES = { limit: 10, everySeconds: 90 } as const;

export type NewSecondFactor = {
  readonly secret: string;
  readonly otpauthUrl: string;
  readonly recoveryCodes: readonly string[];
};

export type SecondFactor = ReturnType<typeof createSecondFactor>;

/**
 * Codes of an authenticator app (RFC 6238: SHA-1, six digits, 30 seconds, which every app understands) and recovery codes.
 * A code works once; ten may be tried in a quarter of an hour, in all processes together. The secret is sealed by the vault.
 */
export function createSecondFactor(deps: {
  db: Db;
  otps: OtpStore;
  vault: Vault;
  recordActivity: RecordActivity;
  publicUrl: string;
  now(): number;
}) {
  const { db, otps, vault } = deps;

  const contextOf = (operatorId: string) => ({
    table: 'operator_otps',
    column: 'secret_sealed',
    rowId: operatorId,
    projectId: '',
  });

  /** The time step of a code; undefined where it is none of the secret's. */
  function stepOf(operatorId: string, secretSealed: string, code: string): number | undefined {
    const secret = Secret.fromBase32(vault.open(secretSealed, contextOf(operatorId)));
    const timestamp = deps.now();
    const delta = new TOTP({ secret, period: PERIOD_SECONDS }).validate({
      token: code,
      timestamp,
      window: WINDOW_STEPS,
    });
    return delta === null ? undefined : Math.floor(timestamp / 1_000 / PERIOD_SECONDS) + delta;
  }

  async function spendRecoveryCode(on: Db, operatorId: string, code: string): Promise<boolean> {
    const left = await otps.spendRecoveryCode(on, operatorId, hashRecoveryCode(code));
    if (left === undefined) return false;
    await deps.recordActivity(on, {
      projectId: null,
      actor: { kind: 'operator', operatorId },
      action: 'operator.recovery_code_used',
      subjectId: operatorId,
      details: { left },
    });
    return true;
  }

  async function isRight(on: Db, operatorId: string, secretSealed: string, code: string): Promise<boolean> {
    if (!CODE.test(code)) return spendRecoveryCode(on, operatorId, code);
    const step = stepOf(operatorId, secretSealed, code);
    return step !== undefined && (await otps.spendStep(on, operatorId, step));
  }

  async function judge(on: Db, operatorId: string, secretSealed: string, otp: string): Promise<void> {
    if (!(await isRight(on, operatorId, secretSealed, otp.replaceAll(/\s/g, '')))) {
      throw new HttpError('otp_invalid');
    }
  }

  /**
   * Counts a guess, which only a caller with the password or a session can make. On a connection of its own: the count
   * must stay where a transaction is undone for a wrong code. Throws `rate_limited`.
   */
  async function spendGuess(operatorId: string): Promise<void> {
    if (await otps.spendGuess(db, operatorId, GUESSES)) return;
    if ((await otps.find(db, operatorId)) === undefined) return;
    throw new HttpError('rate_limited', { headers: { 'Retry-After': String(GUESSES.everySeconds) } });
  }

  return {
    spendGuess,

    /**
     * True where the code is right, false where the operator has no second factor. Throws `otp_required` without a code,
     * `otp_invalid` for a wrong or used one, and `rate_limited`. The code is used up.
     */
    async check(operatorId: string, otp: string | undefined): Promise<boolean> {
      const stored = await otps.find(db, operatorId);
      if (!stored?.isConfirmed) return false;
      if (otp === undefined) throw new HttpError('otp_required');
      await spendGuess(operatorId);
      await judge(db, operatorId, stored.secretSealed, otp);
      return true;
    },

    /** A new pending one, to be shown once; undefined where the operator has a confirmed one. */
    async prepare(trx: Db, operator: { id: string; email: string }): Promise<NewSecondFactor | undefined> {
      const secret = new Secret({ size: SECRET_BYTES });
      const recoveryCodes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode);
      const isPlaced = await otps.replacePending(trx, operator.id, {
        secretSealed: vault.seal(secret.base32, contextOf(operator.id)),
        recoveryCodeHashes: recoveryCodes.map(hashRecoveryCode),
      });
      if (!isPlaced) return undefined;
      const issuer = `${ISSUER} (${new URL(deps.publicUrl).host.replaceAll(':', ' ')})`;
      const otpauthUrl = new TOTP({ issuer, label: operator.email, secret }).toString();
      return { secret: secret.base32, otpauthUrl, recoveryCodes };
    },

    /** Whether the code is one of the pending secret, which counts from now on. Call `spendGuess` before. */
    async confirm(trx: Db, operatorId: string, code: string): Promise<boolean> {
      const pending = await otps.find(trx, operatorId);
      if (pending === undefined || pending.isConfirmed) return false;
      const step = stepOf(operatorId, pending.secretSealed, code.replaceAll(/\s/g, ''));
      if (step === undefined || !(await otps.spendStep(trx, operatorId, step))) return false;
      return otps.confirm(trx, operatorId, pending.secretSealed);
    },

    /** Removes it, and uses the code up. False where there is none. Call `spendGuess` before. Throws `otp_invalid`. */
    async remove(trx: Db, operatorId: string, otp: string): Promise<boolean> {
      const stored = await otps.find(trx, operatorId);
      if (stored?.isConfirmed) await judge(trx, operatorId, stored.secretSealed, otp);
      return otps.remove(trx, operatorId);
    },
  };
}

/** Without letters and digits that look alike: Crockford's base 32. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

function newRecoveryCode(): string {
  const bits = BigInt(`0x${randomBytes(RECOVERY_CODE_BYTES).toString('hex')}`);
  const letters = Array.from(
    { length: 16 },
    (_, index) => ALPHABET[Number((bits >> BigInt(index * 5)) & 31n)],
  );
  return letters.join('').replaceAll(/(.{4})(?!$)/g, '$1-');
}

/** However it was typed. */
function hashRecoveryCode(code: string): Buffer {
  return sha256(code.toLowerCase().replaceAll(/[^0-9a-z]/g, ''));
}
