import type { RecordActivity } from '../activity/record.ts';
import { assertOwnTags } from '../connections/own-tags.ts';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { HttpError } from '../http/errors.ts';
import type { Principal } from '../http/principal.ts';
import { readClaimedTags } from '../identity/user-jwt/claimed-tags.ts';
import { createOpaqueToken } from '../lib/opaque-tokens.ts';
import type { SharedLimits } from '../platform/limits/shared-limits.ts';
import { createSessionMakers, type SessionMakerDependencies } from './connect-session-creators.ts';
import { assertReturnUrl, originFor } from './connect-session-rules.ts';
import { createSessionTargets, type SessionTargetDependencies } from './connect-session-targets.ts';
import { createSessionVariables, type SessionVariablesDependencies } from './connect-session-variables.ts';
import {
  type CreateConnectSession,
  connectSessionSchema,
  createConnectSessionBody,
} from './connect-sessions.schema.ts';
import type { ConnectSessionsStore } from './connect-sessions.store.ts';
import { joinTags } from './join-tags.ts';
import { createUserLimit } from './user-limit.ts';

const LINK_LIFETIME_SECONDS = 30 * 60;
const BEARER = /^bearer +(\S+)$/i;

export type ConnectSessionsDependencies = SessionTargetDependencies &
  SessionVariablesDependencies &
  SessionMakerDependencies & {
    sessions: Pick<ConnectSessionsStore, 'insert'>;
    recordActivity: RecordActivity;
    findProjectRules(projectId: string): Promise<
      | {
          allowedOrigins: readonly string[];
          returnUrls: readonly string[];
          tagClaims: readonly string[];
        }
      | undefined
    >;
    /** Called with a return URL, an origin that the project does not list. */
    noteReturnUrl(projectId: string, returnUrl: string): void;
    noteOrigin(projectId: string, origin: string): void;
    publicUrl: string;
    sessionLifetimeSeconds: number;
    /** Sessions that an end user may begin in an hour, in one process; 0: any number. Each leaves an entry in the audit log. */
    sessionsPerUserPerHour: number;
    sharedLimits: Pick<SharedLimits, 'limiter'>;
  };

/** `POST /connect-sessions`: how connecting an account begins. */
export function createConnectSessionsEndpoints(deps: ConnectSessionsDependencies): Endpoint[] {
  const { db, sessions, publicUrl } = deps;
  const { findIntegration, findConnection, assertTenants, assertUsable } = createSessionTargets(deps);
  const judgeVariables = createSessionVariables(deps);
  const findMaker = createSessionMakers(deps);
  const assertFewEnough = createUserLimit(deps.sharedLimits, deps.sessionsPerUserPerHour);

  const create = endpoint({
    operationId: 'createConnectSession',
    method: 'post',
    path: '/connect-sessions',
    summary: 'Start connecting an account',
    description:
      'Makes a single-use link (10 minutes; 30 for `completion: "link"`) on which the end user authorizes. Name a provider, an integration, or neither to let the user choose. An operator connects test accounts as themself, and makes links (`completion: "link"`, with `connectionId`) on which a user re-authorizes.',
    tag: 'Connect',
    principals: ['end_user', 'api_key', 'operator'],
    leastRole: 'admin',
    keyScope: 'connect',
    body: createConnectSessionBody,
    requestExample: { provider: 'hubspot' },
    success: { status: 201, schema: connectSessionSchema, description: 'The link to open in a browser' },
    errors: [
      'forbidden',
      'provider_unknown',
      'integration_not_found',
      'integration_ambiguous',
      'integration_disabled',
      'integration_not_allowed',
      'connection_not_found',
      'tenants_unsupported',
      'variable_invalid',
      'application_variables_refused',
      'application_variables_missing',
      'organization_role_missing',
      'invalid_return_url',
      'invalid_origin',
    ],
    async handler({ principal, body, request, commitReply }) {
      const integration = await findIntegration(principal, body);
      const maker = await findMaker(principal, body, integration);
      const reauthorized = await findConnection(maker, body, integration);
      const integrationId = reauthorized?.integrationId ?? integration?.id;
      await assertUsable(maker.projectId, body, integrationId);
      await assertTenants(maker.projectId, integration ?? reauthorized, body);
      const applicationVariables = await judgeVariables(principal, body, {
        projectId: maker.projectId,
        integrationId,
      });
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
      const isUser = principal.kind === 'end_user';
      const { authorization = '' } = request.headers;
      const claimed = readClaimedTags(isUser ? BEARER.exec(authorization)?.[1] : undefined, rules.tagClaims);
      // Where the token has the claim, what it says counts.
      assertOwnTags(
        principal,
        body.tags ?? {},
        rules.tagClaims.filter((name) => claimed[name] === undefined),
      );
      const tags = joinTags(body.tags, claimed);
      if (tags === undefined) throw tooManyTags();
      const isLink = body.completion === 'link';
      if (isLink && principal.kind === 'end_user') {
        throw new HttpError('forbidden', {
          detail: 'Only an API key or an operator may vouch for who holds the link.',
        });
      }
      if (principal.kind === 'end_user') await assertFewEnough(`${maker.projectId} ${principal.endUserId}`);
      const { token, hash } = createOpaqueToken('');
      return commitReply(db, async (trx) => {
        const made = await sessions.insert(trx, {
          projectId: maker.projectId,
          endUserId: maker.endUserId,
          personId: maker.personId,
          tags,
          integrationId: integrationId ?? null,
          integrationIds: body.integrationIds ?? null,
          connectionId: reauthorized?.id ?? null,
          tenantId: body.tenant ?? null,
          applicationVariables,
          origin,
          returnUrl: body.returnUrl ?? null,
          locale: body.locale ?? null,
          display: body.display,
          allowMultiple: body.allowMultiple,
          completion: body.completion,
          madeByKind: maker.kind,
          madeById: maker.id,
          madeByTokenId: maker.tokenId ?? null,
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

  return [create];
}

function tooManyTags(): HttpError {
  const message = 'With those that the project takes from the token, there are more than 20';
  return new HttpError('invalid_request', { errors: [{ path: 'body.tags', message }] });
}
