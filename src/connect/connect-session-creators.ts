import type { ConnectionsStore } from '../connections/connections.store.ts';
import { HttpError } from '../http/errors.ts';
import type { Principal, PrincipalOf } from '../http/principal.ts';
import type { Integration } from '../integrations/integration.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { Access } from '../projects/access.ts';
import { requireManager } from '../projects/membership.ts';
import { operatorSubject } from '../projects/texts.schema.ts';
import type { CreateConnectSession } from './connect-sessions.schema.ts';

/** Who a session is for and who made it. */
export type SessionMaker = {
  readonly projectId: string;
  /** Of the user or the organization that the connection is for. */
  readonly endUserId: string;
  /** Who authorizes, where that is known. */
  readonly personId: string | null;
  readonly kind: Principal['kind'];
  readonly id: string;
  /** The token by which an operator makes it; undefined: in the browser, or another maker. */
  readonly tokenId?: string | undefined;
};

export type SessionMakerDependencies = {
  readonly db: Db;
  readonly access: Pick<Access, 'projectsOf' | 'requireProjectAccess'>;
  readonly connections: Pick<ConnectionsStore, 'find'>;
  endUserId(projectId: string, subject: string): Promise<string>;
  organizationId(projectId: string, organization: string): Promise<string>;
};

/** Finds who a session is for. Throws where the principal may not make one for that user. */
export function createSessionMakers(deps: SessionMakerDependencies) {
  const { db, connections } = deps;

  async function findMaker(
    principal: Principal,
    body: CreateConnectSession,
    integration: Integration | undefined,
  ): Promise<SessionMaker> {
    if (principal.kind === 'end_user') {
      if (body.userId !== undefined && body.userId !== principal.subject) {
        throw new HttpError('forbidden', { detail: 'A user token makes sessions for its own user only.' });
      }
      return findMakerOfUser(principal, body, connections, db);
    }
    if (principal.kind === 'operator') return findMakerOfOperator(principal, body, integration);
    if (body.owner === 'organization') return findMakerForOrganization(principal, body);
    if (body.organizationId !== undefined) throw refuseOrganization('only with `owner: "organization"`');
    if (body.userId === undefined) {
      throw new HttpError('invalid_request', {
        detail: 'An API key has no user of its own: say for whom the session is.',
        errors: [{ path: 'body.userId', message: 'required with an API key' }],
      });
    }
    const endUserId = await deps.endUserId(principal.projectId, body.userId);
    return {
      ...{ projectId: principal.projectId, endUserId, personId: endUserId },
      ...{ kind: 'api_key', id: principal.apiKeyId },
    };
  }

  /** An API key vouches for the organization; it may say who authorizes. */
  async function findMakerForOrganization(
    { projectId, apiKeyId }: PrincipalOf<['api_key']>,
    { organizationId, userId }: CreateConnectSession,
  ): Promise<SessionMaker> {
    if (organizationId === undefined) throw refuseOrganization('required with an API key');
    return {
      ...{ projectId, kind: 'api_key', id: apiKeyId },
      endUserId: await deps.organizationId(projectId, organizationId),
      personId: userId === undefined ? null : await deps.endUserId(projectId, userId),
    };
  }

  /**
   * A test connection, whose end user the operator is. Or a link to re-authorize a connection of the project, which the
   * operator sends to the user that it belongs to: a link without a connection would let a stranger connect an account.
   */
  async function findMakerOfOperator(
    principal: PrincipalOf<['operator']>,
    body: CreateConnectSession,
    integration: Integration | undefined,
  ): Promise<SessionMaker> {
    const { operatorId: id, personalAccessTokenId: tokenId } = principal;
    const operator = { kind: 'operator', id, tokenId } as const;
    const visible = await deps.access.projectsOf(principal);
    const reauthorized =
      body.connectionId === undefined ? undefined : await connections.find(db, body.connectionId, visible);
    if (body.connectionId !== undefined && reauthorized === undefined) {
      throw new HttpError('connection_not_found');
    }
    const only = visible.length === 1 ? visible[0] : undefined;
    const projectId = reauthorized?.projectId ?? integration?.projectId ?? only;
    if (projectId === undefined)
      throw new HttpError('integration_not_found', { detail: 'Name an integrationId.' });
    await deps.access.requireProjectAccess(principal, projectId, 'write');
    if (body.completion === 'link') {
      if (reauthorized === undefined) {
        throw new HttpError('forbidden', {
          detail: 'An operator vouches for the holder of a link only where it re-authorizes a connection.',
        });
      }
      return { projectId, endUserId: reauthorized.endUserId, personId: null, ...operator };
    }
    if (body.owner === 'organization')
      throw new HttpError('forbidden', { detail: 'An operator connects test accounts as themself.' });
    const endUserId = await deps.endUserId(projectId, operatorSubject(principal.operatorId));
    return { projectId, endUserId, personId: endUserId, ...operator };
  }

  return findMaker;
}

/**
 * A user's session is for themself, or for their organization where their token lets them manage its connections. A
 * connection that is authorized again says by itself whose it is.
 */
export async function findMakerOfUser(
  user: PrincipalOf<['end_user']>,
  body: Pick<CreateConnectSession, 'owner' | 'organizationId' | 'connectionId'>,
  connections: Pick<ConnectionsStore, 'find'>,
  db: Db,
): Promise<SessionMaker> {
  const { projectId, endUserId, organization } = user;
  const own = { projectId, endUserId, personId: endUserId, kind: 'end_user', id: endUserId } as const;
  if (body.organizationId !== undefined && body.organizationId !== organization?.name)
    throw new HttpError('forbidden', { detail: 'The organization is the one that the user token names.' });
  const reauthorized =
    body.connectionId === undefined || body.owner !== undefined
      ? undefined
      : await connections.find(db, body.connectionId, [projectId]);
  const isOrganizations =
    body.owner === 'organization' ||
    (reauthorized !== undefined && reauthorized.endUserId === organization?.id);
  return isOrganizations ? { ...own, endUserId: requireManager(user).id } : own;
}

function refuseOrganization(message: string): HttpError {
  return new HttpError('invalid_request', { errors: [{ path: 'body.organizationId', message }] });
}
