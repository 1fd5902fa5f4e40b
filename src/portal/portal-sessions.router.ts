import { z } from 'zod';
import type { RecordActivity } from '../activity/record.ts';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { HttpError } from '../http/errors.ts';
import type { PrincipalOf } from '../http/principal.ts';
import { createOpaqueToken } from '../lib/opaque-tokens.ts';
import { MANAGES_CONNECTIONS } from '../mandates/membership.ts';
import type { Db } from '../platform/postgres/database.ts';
import { organizationIdText, ownUserIdText } from '../projects/texts.schema.ts';
import { portalSessionsStore } from './portal-sessions.store.ts';

export const PORTAL_PATH = '/connections/';

const portalSessionBody = z.strictObject({
  userId: ownUserIdText.optional().meta({ description: 'Whose page it is, with an API key.' }),
  organizationId: organizationIdText.optional().meta({
    description: 'The organization that the user belongs to, with an API key.',
  }),
  gatewayRoles: z
    .array(z.enum([MANAGES_CONNECTIONS]))
    .max(10)
    .optional()
    .meta({
      description:
        '`connections:manage`: the user may end what the organization has connected, with an API key.',
    }),
  locale: z
    .string()
    .max(35)
    .regex(/^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/, 'a language tag such as de or de-AT (BCP 47)')
    .optional()
    .meta({ description: 'Language of the page: en, de, es. Left out: what the browser asks for.' }),
});

const portalSessionSchema = z
  .object({ id: z.uuid(), url: z.string(), expiresAt: z.iso.datetime() })
  .meta({ id: 'PortalSession' });

export type PortalSessionsDependencies = {
  readonly db: Db;
  readonly recordActivity: RecordActivity;
  readonly publicUrl: string;
  endUserId(projectId: string, subject: string): Promise<string>;
  organizationId(projectId: string, organization: string): Promise<string>;
};

type Body = z.output<typeof portalSessionBody>;

/** `POST /portal-sessions`: the link to the page on which a person sees and ends what they have connected. */
export function createPortalSessionsEndpoints(deps: PortalSessionsDependencies): Endpoint[] {
  const create = endpoint({
    operationId: 'createPortalSession',
    method: 'post',
    path: '/portal-sessions',
    summary: 'Open the page of a person’s connections',
    description:
      'A link for the browser of one user, whom you have signed in: what is connected, what may use it, connect again, remove. It opens once, and lasts 30 minutes. With a user token without a mandate, the user’s own.',
    tag: 'Connect',
    principals: ['end_user', 'api_key'],
    keyScope: 'connect',
    body: portalSessionBody,
    requestExample: { userId: 'customer-17' },
    success: { status: 201, schema: portalSessionSchema, description: 'The link to open in a browser' },
    errors: ['project_not_found', 'forbidden', 'mandate_denied'],
    async handler({ principal, body, commitReply }) {
      const person = await findPerson(deps, principal, body);
      const { token, hash: tokenHash } = createOpaqueToken('');
      return commitReply(deps.db, async (trx) => {
        const { id, expiresAt } = await portalSessionsStore.insert(trx, {
          ...{ ...person, tokenHash, projectId: principal.projectId },
          locale: body.locale ?? null,
          apiKeyId: principal.kind === 'api_key' ? principal.apiKeyId : null,
        });
        await deps.recordActivity(trx, {
          ...{ projectId: principal.projectId, actor: principal, action: 'portal_session.created' },
          ...{ subjectId: id, details: { integrationUserId: person.endUserId } },
        });
        return {
          body: { id, url: `${deps.publicUrl}${PORTAL_PATH}${token}`, expiresAt: expiresAt.toISOString() },
          headers: { 'Cache-Control': 'no-store' },
        };
      });
    },
  });
  return [create];
}

async function findPerson(
  deps: PortalSessionsDependencies,
  principal: PrincipalOf<['end_user', 'api_key']>,
  { userId, organizationId, gatewayRoles }: Body,
) {
  if (principal.kind === 'end_user') {
    const { endUserId, subject, organization } = principal;
    const isOther =
      (userId !== undefined && userId !== subject) ||
      (organizationId !== undefined && organizationId !== organization?.name);
    if (isOther || gatewayRoles !== undefined)
      throw new HttpError('forbidden', { detail: 'A user token opens its own user’s page, as itself.' });
    const { id = null, isManaged = false } = organization ?? {};
    return { endUserId, organizationId: id, isManager: isManaged };
  }
  if (userId === undefined)
    throw new HttpError('invalid_request', {
      errors: [{ path: 'body.userId', message: 'required with an API key' }],
    });
  const { projectId } = principal;
  return {
    endUserId: await deps.endUserId(projectId, userId),
    organizationId:
      organizationId === undefined ? null : await deps.organizationId(projectId, organizationId),
    isManager: gatewayRoles?.includes(MANAGES_CONNECTIONS) ?? false,
  };
}
