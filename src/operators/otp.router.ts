import { z } from 'zod';
import type { RecordActivity } from '../activity/record.ts';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { HttpError } from '../http/errors.ts';
import type { Db } from '../platform/postgres/database.ts';
import { requireProfile } from './operators.router.ts';
import { givenPassword, operatorSchema, toOperatorWire } from './operators.schema.ts';
import type { OperatorsStore } from './operators.store.ts';
import type { SecondFactor } from './second-factor.ts';
import { otpText } from './sessions.schema.ts';
import type { SignIn } from './sign-in.ts';

export type OtpDependencies = {
  db: Db;
  operators: OperatorsStore;
  secondFactor: SecondFactor;
  signIn: SignIn;
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

function prepareOtp({ db, operators, secondFactor }: OtpDependencies): Endpoint {
  return endpoint({
    operationId: 'createOtp',
    method: 'post',
    path: '/operators/me/otp',
    summary: 'Begin to use a second factor',
    description: 'It counts once a first code confirms it. Signed-in operators with a password only.',
    tag: TAG,
    principals: ['operator'],
    body: z.strictObject({}),
    success: {
      status: 201,
      schema: newSecondFactorSchema,
      description: 'What the app needs; shown this once',
    },
    errors: ['forbidden', 'otp_already_enabled'],
    async handler({ principal, commitReply }) {
      // A token that leaks must not be enough to shut its owner out.
      if (principal.sessionId === undefined)
        throw new HttpError('forbidden', { detail: 'Sign in to do this.' });
      const profile = await requireProfile(operators, db, principal.operatorId);
      if (!profile.hasPassword) {
        throw new HttpError('forbidden', {
          detail: 'The second factor stands beside a password: set one first.',
        });
      }
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

function disableOtp({ db, operators, secondFactor, signIn, recordActivity }: OtpDependencies): Endpoint {
  return endpoint({
    operationId: 'disableOtp',
    method: 'post',
    path: '/operators/me/otp/disable',
    summary: 'Stop using a second factor',
    tag: TAG,
    principals: ['operator'],
    body: z.strictObject({ password: givenPassword, otp: otpText }),
    requestExample: { password: 'correct horse battery staple', otp: '123456' },
    success: { status: 200, schema: operatorSchema, description: 'You; the password alone signs you in' },
    errors: ['overloaded'],
    async handler({ principal, body, request, commitReply }) {
      const { operatorId } = principal;
      const { email } = await requireProfile(operators, db, operatorId);
      await explain('password', 'Not your password', ['sign_in_refused'], () =>
        signIn.provePassword(request, { email, password: body.password }),
      );
      await secondFactor.spendGuess(operatorId);
      return commitReply(db, async (trx) => {
        const isRemoved = await explain('otp', WRONG_CODE, ['otp_invalid'], () =>
          secondFactor.remove(trx, operatorId, body.otp),
        );
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

/** A 401 would tell a signed-in browser that it is signed out: what is wrong here is a member of the body. */
async function explain<Result>(
  member: string,
  message: string,
  codes: readonly string[],
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof HttpError && codes.includes(error.code) ? refuse(member, message) : error;
  }
}

function refuse(member: string, message: string): HttpError {
  return new HttpError('invalid_request', { errors: [{ path: `body.${member}`, message }] });
}
