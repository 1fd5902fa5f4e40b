import { z } from 'zod';
import type { RecordActivity } from '../../activity/record.ts';
import { type Endpoint, endpoint } from '../../http/endpoint.ts';
import { HttpError } from '../../http/errors.ts';
import type { PrincipalOf } from '../../http/principal.ts';
import { mandateEntriesSchema } from '../../mandates/mandate.schema.ts';
import { MANAGES_CONNECTIONS, type Membership } from '../../mandates/membership.ts';
import type { Db } from '../../platform/postgres/database.ts';
import type { Access } from '../../projects/access.ts';
import {
  operatorSubject,
  organizationIdText,
  ownUserIdText,
  userIdText,
} from '../../projects/texts.schema.ts';
import { signUserToken, TokenTooLongError } from '../user-jwt/user-jwt.ts';
import type { SigningKeysStore } from './signing-keys.store.ts';

/** For tokens that operators mint: an operator who leaves the project keeps none for long. */
const OPERATOR_LIFETIME_SECONDS_MAX = 60 * 60;

const actorText = userIdText.meta({ description: 'Shown to operators beside the calls.' });

const userTokenBody = z.strictObject({
  projectId: z.uuid().optional().meta({ description: 'Of an operator with several projects.' }),
  userId: ownUserIdText.optional().meta({
    description:
      'Your own id of the user; becomes the token’s `sub`. Left out by an operator: the operator’s own test user in the project.',
  }),
  expiresIn: z
    .number()
    .int()
    .min(60)
    .max(24 * 60 * 60)
    .default(3600)
    .meta({ description: 'Lifetime in seconds; for operators an hour at most.' }),
  authorizationDetails: mandateEntriesSchema.optional().meta({
    description: 'What the token may do at providers (docs/mandates.md); left out: what its user may.',
  }),
  mandateId: z.uuid().optional().meta({
    description:
      'A mandate of the project, which has to allow each call; beside authorizationDetails, both have to.',
  }),
  actor: z.strictObject({ id: actorText, name: actorText.optional() }).optional().meta({
    description:
      'Who acts for the user, such as an agent: the claim `act` (RFC 8693). Records of calls name it.',
  }),
  organizationId: organizationIdText.optional().meta({
    description: 'Your own id of the organization that the user belongs to; becomes the token’s `org`.',
  }),
  org: organizationIdText.optional().meta({ description: 'The same, by the name of the claim.' }),
  gatewayRoles: z
    .array(z.enum([MANAGES_CONNECTIONS]))
    .max(10)
    .optional()
    .meta({
      description:
        'What the user may do for the organization; becomes `gateway_roles`. `connections:manage`: connect accounts for it, and end what is connected.',
    }),
  nonce: z.string().min(1).max(255).optional().meta({
    description:
      'The `state` of a sign-in for an agent, to which the token is bound by it (docs/agents.md): the claim `nonce`.',
  }),
});

const userTokenSchema = z
  .object({
    token: z.string(),
    jti: z.string().meta({ description: 'The id of the token, by which it can be revoked alone.' }),
    expiresAt: z.iso.datetime(),
  })
  .meta({ id: 'UserToken' });

type UserTokenInput = z.output<typeof userTokenBody>;
type Minter = PrincipalOf<['api_key', 'operator']>;

type UserTokensDependencies = {
  db: Db;
  access: Access;
  signingKeys: Pick<SigningKeysStore, 'findMintingKey'>;
  mandates: { find(projectId: string, id: string): Promise<object | undefined> };
  recordActivity: RecordActivity;
  now?: () => number;
};

/** Minting, for applications that do not sign tokens themselves and for operators who try something out. */
export function createUserTokensEndpoints(deps: UserTokensDependencies): Endpoint[] {
  const now = deps.now ?? Date.now;

  const mint = endpoint({
    operationId: 'createUserToken',
    method: 'post',
    path: '/user-tokens',
    summary: 'Mint a user token',
    description:
      'A JWT for one user of the project, signed (ES256) with its newest managed key. Operators need the role owner or admin, and the audit log records each.',
    tag: 'Projects',
    principals: ['api_key', 'operator'],
    leastRole: 'admin',
    keyScope: 'users:tokens',
    body: userTokenBody,
    requestExample: { userId: 'customer-17', expiresIn: 3600 },
    changesNothing: true,
    success: { status: 201, schema: userTokenSchema, description: 'The token' },
    errors: ['project_not_found', 'signing_key_invalid'],
    async handler({ principal, body, commitReply }) {
      const { projectId, subject } = await judgeMinting(deps.access, principal, body);
      const { mandateId } = body;
      if (mandateId !== undefined && (await deps.mandates.find(projectId, mandateId)) === undefined)
        throw refuse('mandateId', 'The project has no such mandate');
      const key = await deps.signingKeys.findMintingKey(projectId);
      if (key === undefined) {
        throw new HttpError('signing_key_invalid', {
          detail: 'The project has no managed signing key. Add one by POST …/signing-keys {"managed": true}.',
        });
      }
      const { token, jti, expiresAt } = sign({
        ...key,
        projectId,
        subject,
        expiresInSeconds: body.expiresIn,
        authorizationDetails: body.authorizationDetails,
        mandateId: body.mandateId,
        actors: body.actor && [body.actor],
        nonce: body.nonce,
        membership: readMembership(body),
        now: now(),
      });
      const reply = {
        body: { token, jti, expiresAt: expiresAt.toISOString() },
        headers: { 'Cache-Control': 'no-store' },
      };
      if (principal.kind !== 'operator') return reply;
      return commitReply(deps.db, async (trx) => {
        await deps.recordActivity(trx, {
          projectId,
          actor: principal,
          action: 'user_token.created',
          subjectId: null,
          details: { userId: subject, expiresInSeconds: body.expiresIn },
        });
        return reply;
      });
    },
  });

  return [mint];
}

function sign(input: Parameters<typeof signUserToken>[0]): ReturnType<typeof signUserToken> {
  try {
    return signUserToken(input);
  } catch (error) {
    if (!(error instanceof TokenTooLongError)) throw error;
    throw refuse('authorizationDetails', error.message);
  }
}

/** Whose token it is, and where. Throws what the access to a project throws, and `invalid_request`. */
async function judgeMinting(
  access: Access,
  principal: Minter,
  { projectId: asked, userId, expiresIn }: UserTokenInput,
): Promise<{ projectId: string; subject: string }> {
  const projectId = await access.projectToChange(principal, asked);
  if (principal.kind === 'api_key') {
    if (userId === undefined) throw refuse('userId', 'required: an API key stands for no user');
    return { projectId, subject: userId };
  }
  if (expiresIn > OPERATOR_LIFETIME_SECONDS_MAX) {
    throw refuse('expiresIn', `At most ${OPERATOR_LIFETIME_SECONDS_MAX} for an operator`);
  }
  return { projectId, subject: userId ?? operatorSubject(principal.operatorId) };
}

function readMembership({ organizationId, org, gatewayRoles }: UserTokenInput): Membership | undefined {
  const organization = organizationId ?? org;
  if (org !== undefined && org !== organization) throw refuse('org', 'is not the `organizationId`');
  if (organization === undefined && gatewayRoles !== undefined)
    throw refuse('gatewayRoles', 'only with `organizationId`');
  if (organization === undefined) return undefined;
  return { organization, managesConnections: gatewayRoles?.includes(MANAGES_CONNECTIONS) ?? false };
}

function refuse(member: string, message: string): HttpError {
  return new HttpError('invalid_request', { errors: [{ path: `body.${member}`, message }] });
}
