import type { RecordActivity } from '../activity/record.ts';
import { createConnectionWire } from '../connections/connections.router.ts';
import { connectionSchema } from '../connections/connections.schema.ts';
import type { ConnectionsStore } from '../connections/connections.store.ts';
import { etagOf } from '../http/conditional.ts';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { HttpError } from '../http/errors.ts';
import type { Principal, PrincipalOf } from '../http/principal.ts';
import type { Integration, IntegrationsStore } from '../integrations/integrations.store.ts';
import { createOpaqueToken } from '../lib/opaque-tokens.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { Access } from '../projects/access.ts';
import { operatorSubject } from '../projects/texts.schema.ts';
import type { NamedProviders } from '../providers/custom-providers.ts';
import type { ConnectSession } from './connect-session.ts';
import { assertReturnUrl, matchesCode, mayComplete, originFor } from './connect-session-rules.ts';
import {
  type CreateConnectSession,
  completeConnectSessionBody,
  connectSessionParams,
  connectSessionSchema,
  createConnectSessionBody,
} from './connect-sessions.schema.ts';
import type { ConnectSessionsStore } from './connect-sessions.store.ts';
import type { FinishGrant } from './finish-grant.ts';

const LINK_LIFETIME_SECONDS = 30 * 60;

export type ConnectSessionsDependencies = {
  db: Db;
  providers: NamedProviders;
  access: Access;
  integrations: IntegrationsStore;
  connections: ConnectionsStore;
  sessions: ConnectSessionsStore;
  finishGrant: FinishGrant;
  recordActivity: RecordActivity;
  endUserId(projectId: string, subject: string): Promise<string>;
  findProjectRules(
    projectId: string,
  ): Promise<{ allowedOrigins: readonly string[]; returnUrls: readonly string[] } | undefined>;
  /** Hear of a return URL and of an origin that the project does not list. */
  noteReturnUrl(projectId: string, returnUrl: string): void;
  noteOrigin(projectId: string, origin: string): void;
  publicUrl: string;
  sessionLifetimeSeconds: number;
};

/** Who a session is for and who made it. */
type Maker = { projectId: string; endUserId: string; kind: Principal['kind']; id: string };

/** `POST /connect-sessions` and its completion: how connecting an account begins and ends. */
export function createConnectSessionsEndpoints(deps: ConnectSessionsDependencies): Endpoint[] {
  const { db, sessions, connections, publicUrl } = deps;
  const wire = createConnectionWire(deps.providers);

  const create = endpoint({
    operationId: 'createConnectSession',
    method: 'post',
    path: '/connect-sessions',
    summary: 'Start connecting an account',
    description:
      'Makes a single-use link (10 minutes; 30 for `completion: "link"`) on which the end user authorizes. Name a provider, an integration, or neither to let the user choose. An operator connects test accounts as themself, and makes links (`completion: "link"`, with `connectionId`) on which a user re-authorizes.',
    tag: 'Connect',
    principals: ['end_user', 'api_key', 'operator'],
    body: createConnectSessionBody,
    requestExample: { provider: 'hubspot' },
    success: { status: 201, schema: connectSessionSchema, description: 'The link to open in a browser' },
    errors: [
      'provider_unknown',
      'integration_not_found',
      'integration_ambiguous',
      'connection_not_found',
      'tenants_unsupported',
      'invalid_return_url',
      'invalid_origin',
    ],
    async handler({ principal, body, request, commitReply }) {
      const integration = await integrationFor(principal, body);
      const maker = await makerOf(principal, body, integration);
      const reauthorized = await connectionFor(maker, body, integration);
      await assertTenants(maker.projectId, integration ?? reauthorized, body);
      const rules = await deps.findProjectRules(maker.projectId);
      if (rules === undefined) throw new HttpError('project_not_found');
      if (body.returnUrl !== undefined && !rules.returnUrls.includes(body.returnUrl)) {
        deps.noteReturnUrl(maker.projectId, body.returnUrl);
      }
      assertReturnUrl(body.returnUrl, rules.returnUrls);
      const origin = originOf(principal, body, request.headers.origin, {
        projectId: maker.projectId,
        allowed: rules.allowedOrigins,
      });
      const isLink = body.completion === 'link';
      if (isLink && principal.kind === 'end_user') {
        throw new HttpError('forbidden', {
          detail: 'Only an API key or an operator may vouch for who holds the link.',
        });
      }
      const { token, hash } = createOpaqueToken('');
      return commitReply(db, async (trx) => {
        const made = await sessions.insert(trx, {
          projectId: maker.projectId,
          endUserId: maker.endUserId,
          integrationId: reauthorized?.integrationId ?? integration?.id ?? null,
          connectionId: reauthorized?.id ?? null,
          tenantId: body.tenant ?? null,
          origin,
          returnUrl: body.returnUrl ?? null,
          locale: body.locale ?? null,
          display: body.display,
          allowMultiple: body.allowMultiple,
          completion: body.completion,
          madeByKind: maker.kind,
          madeById: maker.id,
          tokenHash: hash,
          lifetimeSeconds: isLink ? LINK_LIFETIME_SECONDS : deps.sessionLifetimeSeconds,
        });
        await deps.recordActivity(trx, {
          projectId: maker.projectId,
          actor: principal,
          action: 'connect_session.created',
          subjectId: made.id,
          details: { completion: made.completion, integrationUserId: maker.endUserId },
        });
        return {
          body: {
            id: made.id,
            url: `${publicUrl}/connect/${token}`,
            expiresAt: made.expiresAt.toISOString(),
          },
          headers: { 'Cache-Control': 'no-store' },
        };
      });
    },
  });

  function originOf(
    principal: Principal,
    body: CreateConnectSession,
    header: string | undefined,
    { projectId, allowed }: { projectId: string; allowed: readonly string[] },
  ): string {
    try {
      return originFor(principal, body, header, allowed, publicUrl);
    } catch (error) {
      const refused = header ?? body.origin;
      if (refused !== undefined) deps.noteOrigin(projectId, refused);
      throw error;
    }
  }

  async function integrationFor(
    principal: Principal,
    body: CreateConnectSession,
  ): Promise<Integration | undefined> {
    const projectIds = await deps.access.projectsOf(principal);
    if (body.integrationId !== undefined) {
      const found = await deps.integrations.find(db, body.integrationId, projectIds);
      if (found === undefined || (body.provider !== undefined && found.serviceProvider !== body.provider)) {
        throw new HttpError('integration_not_found');
      }
      return found;
    }
    if (body.provider === undefined || body.connectionId !== undefined) return undefined;
    await assertKnown(body.provider, projectIds);
    const found = await deps.integrations.list(db, { projectIds, serviceProvider: body.provider, limit: 20 });
    if (found.length > 1) {
      throw new HttpError('integration_ambiguous', {
        detail:
          'The project has several integrations of this provider: send one of `integrationIds` as `integrationId`, with or without `provider`.',
        extra: { integrationIds: found.map(({ id }) => id) },
      });
    }
    if (found[0] === undefined) throw new HttpError('integration_not_found');
    return found[0];
  }

  async function assertKnown(provider: string, projectIds: readonly string[]): Promise<void> {
    const found = await Promise.all(
      projectIds.map((projectId) => deps.providers.find(projectId, provider, null)),
    );
    if (found.every((known) => known === undefined))
      throw deps.providers.refusalOf(projectIds[0] ?? '', provider);
  }

  /** Refuses a tenant at a provider that has none, where the provider is known by now. */
  async function assertTenants(
    projectId: string,
    target: Pick<Integration, 'serviceProvider' | 'grant'> | undefined,
    { tenant }: CreateConnectSession,
  ): Promise<void> {
    if (tenant === undefined || target === undefined) return;
    const provider = await deps.providers.find(projectId, target.serviceProvider, target.grant);
    if (provider !== undefined && provider.tenants === undefined) throw new HttpError('tenants_unsupported');
  }

  async function makerOf(
    principal: Principal,
    body: CreateConnectSession,
    integration: Integration | undefined,
  ): Promise<Maker> {
    if (principal.kind === 'end_user') {
      if (body.userId !== undefined && body.userId !== principal.subject) {
        throw new HttpError('forbidden', { detail: 'A user token makes sessions for its own user only.' });
      }
      return { ...principal, kind: 'end_user', id: principal.endUserId };
    }
    if (principal.kind === 'operator') return makerOfOperator(principal, body, integration);
    if (body.userId === undefined) {
      throw new HttpError('invalid_request', {
        detail: 'An API key has no user of its own: say for whom the session is.',
        errors: [{ path: 'body.userId', message: 'required with an API key' }],
      });
    }
    const endUserId = await deps.endUserId(principal.projectId, body.userId);
    return { projectId: principal.projectId, endUserId, kind: 'api_key', id: principal.apiKeyId };
  }

  /**
   * A test connection, whose end user the operator is. Or a link to re-authorize a connection of the project, which the
   * operator sends to the user that it belongs to: a link without a connection would let a stranger connect an account.
   */
  async function makerOfOperator(
    principal: PrincipalOf<['operator']>,
    body: CreateConnectSession,
    integration: Integration | undefined,
  ): Promise<Maker> {
    const operator = { kind: 'operator', id: principal.operatorId } as const;
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
      return { projectId, endUserId: reauthorized.endUserId, ...operator };
    }
    return {
      projectId,
      endUserId: await deps.endUserId(projectId, operatorSubject(principal.operatorId)),
      ...operator,
    };
  }

  async function connectionFor(
    maker: Maker,
    body: CreateConnectSession,
    integration: Integration | undefined,
  ) {
    if (body.connectionId === undefined) return undefined;
    const found = await connections.find(db, body.connectionId, [maker.projectId]);
    const fits =
      found?.endUserId === maker.endUserId &&
      (integration === undefined || found.integrationId === integration.id) &&
      (body.provider === undefined || found.serviceProvider === body.provider);
    if (!fits) throw new HttpError('connection_not_found');
    return found;
  }

  const complete = endpoint({
    operationId: 'completeConnectSession',
    method: 'post',
    path: '/connect-sessions/{id}/complete',
    summary: 'Complete a connection',
    description:
      'Brings the one-time code of the closing page together with a token of the same user (or the API key that made the session). Until then the connection is neither usable nor listed; after ten minutes its tokens are revoked and erased. Repeated with the same code it answers the same connection.',
    tag: 'Connect',
    principals: ['end_user', 'api_key', 'operator'],
    params: connectSessionParams,
    body: completeConnectSessionBody,
    requestExample: { completionCode: 'code-of-the-closing-page' },
    success: { status: 200, schema: connectionSchema, description: 'The connection' },
    errors: [
      'connect_session_not_found',
      'session_expired',
      'session_used',
      'completion_code_invalid',
      'account_mismatch',
    ],
    async handler({ principal, params, body, commitReply }) {
      const projectIds = await deps.access.projectsOf(principal);
      return commitReply(db, async (trx) => {
        const session = await claim(trx, principal, params.id, projectIds, body.completionCode);
        const id = session.resultConnectionId ?? (await finish(trx, session, principal));
        const connection = await connections.find(trx, id, projectIds);
        if (connection === undefined) throw new HttpError('session_used');
        return { body: await wire(connection), etag: etagOf(connection.version) };
      });
    },
  });

  async function finish(trx: Db, session: ConnectSession, principal: Principal): Promise<string> {
    const grant = await sessions.takePending(trx, session);
    if (grant === undefined) throw new HttpError('session_used');
    const id = await deps.finishGrant(trx, session, grant, principal);
    await sessions.keepResult(trx, session, id);
    return id;
  }

  /**
   * The locked session, if this principal may complete it with this code now, or has completed it with this very code
   * before: the answer may have been lost on its way.
   */
  async function claim(
    trx: Db,
    principal: Principal,
    id: string,
    projectIds: readonly string[],
    completionCode: string,
  ): Promise<ConnectSession> {
    const projectId = principal.kind === 'operator' ? undefined : principal.projectId;
    for (const candidate of projectId === undefined ? projectIds : [projectId]) {
      const locked = await sessions.lock(trx, id, candidate);
      if (locked === undefined) continue;
      if (!mayComplete(principal, locked.session)) break;
      const isRepeated =
        locked.session.resultConnectionId !== null && matchesCode(locked.completionCodeHash, completionCode);
      if (isRepeated) return locked.session;
      if (locked.session.state === 'completed' || locked.session.state === 'failed') {
        throw new HttpError(locked.isExpired ? 'session_expired' : 'session_used');
      }
      if (locked.isExpired) throw new HttpError('session_expired');
      if (!matchesCode(locked.completionCodeHash, completionCode))
        throw new HttpError('completion_code_invalid');
      return locked.session;
    }
    throw new HttpError('connect_session_not_found');
  }

  return [create, complete];
}
