import { z } from 'zod';
import type { RecordActivity } from '../../activity/record.ts';
import { type Endpoint, endpoint } from '../../http/endpoint.ts';
import { HttpError } from '../../http/errors.ts';
import type { Db } from '../../platform/postgres/database.ts';
import { givenPassword, operatorSchema, toOperatorWire } from '../accounts/operators.schema.ts';
import type { OperatorsStore } from '../accounts/operators.store.ts';
import { requireProfile } from '../accounts/require-profile.ts';
import type { ProvePresence } from '../sessions/prove-presence.ts';
import { otpText } from '../sessions/sessions.schema.ts';
import type { SecondFactor } from './second-factor.ts';

type OtpDependencies = {
  db: Db;
  operators: OperatorsStore;
  secondFactor: SecondFactor;
  presence: ProvePresence;
  recordActivity: RecordActivity;
};

const TAG = 'Signing in';

const newSecondFactorSchema = z
  .object({
    secret: z.string().meta({ description: 'Base 32, for typing in. Shown this once.' }),
    otpauthUrl: z.string().meta({ description: 'For a QR code. Shown this once.' }),
    recoveryCodes: z.array(z.string()).meta({ description: 'Each works once in place of a code.' }),
  })
  .meta({ id: 'NewSecondFactor' });

/** A second factor for signing in with the password. */
export function createOtpEndpoints(deps: OtpDependencies): Endpoint[] {
  return [prepareOtp(deps), confirmOtp(deps), disableOtp(deps)];
}

const passwordMember = givenPassword.optional().meta({
  description: 'Yours. Without one, sign in again within ten minutes before this.',
});

function prepareOtp({ db, operators, secondFactor, presence }: OtpDependencies): Endpoint {
  return endpoint({
    operationId: 'createOtp',
    method: 'post',
    path: '/operators/me/otp',
    summary: 'Begin to use a second factor',
    description:
      'It counts once a first code confirms it. Takes the password, of signed-in operators only; an operator without a password must have signed in within the last ten minutes.',
    tag: TAG,
    principals: ['operator'],
    leastRole: 'anyone',
    body: z.strictObject({ password: passwordMember }),
    requestExample: { password: 'correct horse battery staple' },
    success: {
      status: 201,
      schema: newSecondFactorSchema,
      description: 'What the app needs; shown this once',
    },
    errors: ['forbidden', 'sign_in_too_old', 'otp_already_enabled', 'overloaded'],
    async handler({ principal, body, request, commitReply }) {
      // A token that leaks must not be enough to shut its owner out.
      if (principal.sessionId === undefined)
        throw new HttpError('forbidden', { detail: 'Sign in to do this.' });
      const profile = await requireProfile(operators, db, principal.operatorId);
      await presence.assertPresent(principal, request, profile, body.password);
      return commitReply(db, async (trx) => {
        const made = await secondFactor.prepare(trx, profile);
        if (made === undefined) throw new HttpError('otp_already_enabled');
        return { body: { ...made, recoveryCodes: [...made.recoveryCodes] } };
      });
    },
  });
}

function confirmOtp({ db, operators, secondFactor, recordActivity }: OtpDependencies): Endpoint {
  return endpoint({
    operationId: 'confirmOtp',
    method: 'post',
    path: '/operators/me/otp/confirm',
    summary: 'Confirm the second factor with a first code',
    tag: TAG,
    principals: ['operator'],
    leastRole: 'anyone',
    body: z.strictObject({ otp: otpText }),
    requestExample: { otp: '123456' },
    success: { status: 200, schema: operatorSchema, description: 'You; signing in takes a code from now on' },
    async handler({ principal, body, commitReply }) {
      const { operatorId } = principal;
      await secondFactor.spendGuess(operatorId);
      return commitReply(db, async (trx) => {
        if (!(await secondFactor.confirm(trx, operatorId, body.otp))) throw refuse('otp', WRONG_CODE);
        await recordActivity(trx, {
          projectId: null,
          actor: principal,
          action: 'operator.otp_enabled',
          subjectId: operatorId,
          details: {},
        });
        return { body: toOperatorWire(await requireProfile(operators, trx, operatorId)) };
      });
    },
  });
}

const WRONG_CODE = 'Not a current code, or one that was used';

function disableOtp({ db, operators, secondFactor, presence, recordActivity }: OtpDependencies): Endpoint {
  return endpoint({
    operationId: 'disableOtp',
    method: 'post',
    path: '/operators/me/otp/disable',
    summary: 'Stop using a second factor',
    tag: TAG,
    principals: ['operator'],
    leastRole: 'anyone',
    body: z.strictObject({ password: passwordMember, otp: otpText }),
    requestExample: { password: 'correct horse battery staple', otp: '123456' },
    success: { status: 200, schema: operatorSchema, description: 'You; the password alone signs you in' },
    errors: ['sign_in_too_old', 'overloaded'],
    async handler({ principal, body, request, commitReply }) {
      const { operatorId } = principal;
      const profile = await requireProfile(operators, db, operatorId);
      await presence.assertPresent(principal, request, profile, body.password);
      await secondFactor.spendGuess(operatorId);
      return commitReply(db, async (trx) => {
        const isRemoved = await secondFactor.remove(trx, operatorId, body.otp).catch((error: unknown) => {
          // A 401 would tell a signed-in browser that it is signed out.
          throw error instanceof HttpError && error.code === 'otp_invalid'
            ? refuse('otp', WRONG_CODE)
            : error;
        });
        if (isRemoved) {
          await recordActivity(trx, {
            projectId: null,
            actor: principal,
            action: 'operator.otp_disabled',
            subjectId: operatorId,
            details: {},
          });
        }
        return { body: toOperatorWire(await requireProfile(operators, trx, operatorId)) };
      });
    },
  });
}

function refuse(member: string, message: string): HttpError {
  return new HttpError('invalid_request', { errors: [{ path: `body.${member}`, message }] });
}
