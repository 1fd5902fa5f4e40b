import { timingSafeEqual } from 'node:crypto';
import type { z } from 'zod';
import type { RecordActivity } from '../../activity/record.ts';
import { maskToNetwork } from '../../http/client-address.ts';
import { type Endpoint, endpoint } from '../../http/endpoint.ts';
import { HttpError } from '../../http/errors.ts';
import { assertNotCrossOrigin } from '../../http/same-origin.ts';
import { createOpaqueToken, sha256 } from '../../lib/opaque-tokens.ts';
import type { Db } from '../../platform/postgres/database.ts';
import { createOperatorsStore } from '../accounts/operators.store.ts';
import { findPasswordFault } from '../accounts/password.ts';
import type { PasswordWork } from '../accounts/password-work.ts';
import { createPersonalAccessTokensStore } from '../personal-access-tokens/personal-access-tokens.store.ts';
import type { BrowserRequest, BrowserSessions } from '../sessions/browser-sessions.ts';
import { createGatewayOwnersStore } from './gateway-owners.store.ts';
import { type SetupInput, setupBody, setupReply } from './setup.schema.ts';
import { createSetupStore } from './setup.store.ts';

export type SetupDependencies<ProjectSchema extends z.ZodType<unknown, { id: string }>> = {
  db: Db;
  publicUrl: string;
  projectSchema: ProjectSchema;
  /** Makes a project that the operator owns, and an API key for it where it is asked for. */
  createFirstProject(
    trx: Db,
    input: { name: string; operatorId: string; sourceAddress: string | undefined; withApiKey: boolean },
  ): Promise<{ project: z.input<ProjectSchema>; apiKey: { id: string; key: string } | null }>;
  recordActivity: RecordActivity;
  passwords: PasswordWork;
  /** When the operator's first personal access token ends. */
  tokenEnd(): Date;
  browserSessions: Pick<BrowserSessions, 'begin'>;
};

/** Anonymous callers may send one, so it must be cheap to validate. */
const BODY_BYTES_MAX = 4 * 1024;

const CREDENTIAL_NAME = 'First set-up';

/**
 * To be called once at start. With no operator in the store it answers the token that works from now on: the configured
 * one or a new random one; tokens of earlier starts stop working. Only its hash is stored.
 */
export async function prepareSetup(
  db: Db,
  input: { configuredToken?: string | undefined },
): Promise<{ pending: boolean; token?: string }> {
  const setup = createSetupStore();
  return db.transaction(async (trx) => {
    await setup.lockTokenHash(trx);
    if (await createOperatorsStore().isAnyone(trx)) return { pending: false };
    const token = input.configuredToken ?? createOpaqueToken('').token;
    await setup.replaceToken(trx, sha256(token));
    return { pending: true, token };
  });
}

/**
 * The first set-up: there is no default password; the holder of the printed one-time token becomes the first operator.
 * It works once, even for requests at the same time, and as long as there is no operator.
 */
export function createSetup<ProjectSchema extends z.ZodType<unknown, { id: string }>>(
  deps: SetupDependencies<ProjectSchema>,
) {
  const { db } = deps;
  const setup = createSetupStore();
  const operators = createOperatorsStore();
  const gatewayOwners = createGatewayOwnersStore();
  const tokens = createPersonalAccessTokensStore({ db });

  async function assertOpen(on: Db, given: string, expected: Buffer | undefined): Promise<void> {
    if (await operators.isAnyone(on)) throw new HttpError('already_set_up');
    if (expected === undefined || !timingSafeEqual(sha256(given), expected)) {
      throw new HttpError('setup_token_invalid');
    }
  }

  async function createFirst(
    trx: Db,
    { email, projectName, credentials }: SetupInput,
    passwordHash: string,
    request: BrowserRequest,
  ) {
    const sourceAddress = request.ip;
    const operator = await operators.insert(trx, { email, passwordHash, isEmailVerified: true });
    if (operator === undefined) throw new HttpError('already_set_up');
    await gatewayOwners.add(trx, operator.id);
    const personalAccessToken = credentials ? await createToken(trx, operator.id) : null;
    const first = await deps.createFirstProject(trx, {
      name: projectName,
      operatorId: operator.id,
      sourceAddress,
      withApiKey: credentials,
    });
    await deps.recordActivity(trx, {
      projectId: null,
      actor: { kind: 'operator', operatorId: operator.id, sourceAddress },
      action: 'operator.created',
      subjectId: operator.id,
      details: { email },
    });
    await setup.complete(trx);
    const session = await deps.browserSessions.begin(trx, operator.id, request, {
      method: 'set_up',
      secondFactor: false,
    });
    const made = {
      operator: session.body.operator,
      personalAccessToken,
      ...first,
    };
    return { made, cookies: session.cookies };
  }

  async function createToken(trx: Db, operatorId: string) {
    const owner = { operatorId, name: CREDENTIAL_NAME, expiresAt: deps.tokenEnd() };
    const { personalAccessToken, token } = await tokens.insert(trx, owner);
    return { id: personalAccessToken.id, token };
  }

  const setUp = endpoint({
    operationId: 'setUp',
    method: 'post',
    path: '/setup',
    summary: 'Set up the gateway',
    description:
      'Makes the first operator, a project and (unless `credentials` is `false`) credentials for both, and signs the operator in. Works once, with the token that the gateway prints at its start or takes from SETUP_TOKEN.',
    tag: 'Set-up',
    principals: [],
    body: setupBody,
    requestExample: {
      token: 'the token of the link that the gateway printed',
      email: 'ada@example.com',
      password: 'correct horse battery staple',
      projectName: 'My project',
    },
    bodyBytesMax: BODY_BYTES_MAX,
    success: {
      status: 201,
      schema: setupReply(deps.projectSchema),
      description: 'The only reply with these credentials',
    },
    errors: ['setup_token_invalid', 'already_set_up', 'csrf_rejected', 'overloaded'],
    async handler({ body, request, commitReply }) {
      assertNotCrossOrigin(request, deps.publicUrl);
      // Judged before the costly hash, so that strangers cannot make the gateway work; and again under the lock.
      await assertOpen(db, body.token, await setup.tokenHash(db));
      const fault = findPasswordFault(body.password, body);
      if (fault !== undefined) {
        throw new HttpError('invalid_request', { errors: [{ path: 'body.password', message: fault }] });
      }
      const passwordHash = await deps.passwords.hash(maskToNetwork(request.ip ?? 'unknown'), body.password);
      return commitReply(db, async (trx) => {
        await assertOpen(trx, body.token, await setup.lockTokenHash(trx));
        const { made, cookies } = await createFirst(trx, body, passwordHash, request);
        return {
          body: made,
          cookies,
          headers: { 'Cache-Control': 'no-store', Location: `projects/${made.project.id}` },
        };
      });
    },
  });

  return {
    async isPending(): Promise<boolean> {
      return !(await operators.isAnyone(db));
    },
    endpoints: [setUp] satisfies Endpoint[],
  };
}
