import type { RecordActivity } from '../activity/record.ts';
import { HttpError } from '../http/errors.ts';
import type { PrincipalOf } from '../http/principal.ts';
import { readClaimedTags } from '../identity/user-jwt/claimed-tags.ts';
import { createOpaqueToken } from '../lib/opaque-tokens.ts';
import type { SharedLimits } from '../platform/limits/shared-limits.ts';
import type { Db } from '../platform/postgres/database.ts';
import { type CompleteSession, createCompleteSession } from './complete-session.ts';
import { findMakerOfUser } from './connect-session-creators.ts';
import { createSessionTargets, type SessionTargetDependencies } from './connect-session-targets.ts';
import { createSessionVariables, type SessionVariablesDependencies } from './connect-session-variables.ts';
import { createConnectSessionBody } from './connect-sessions.schema.ts';
import type { ConnectSessionsStore } from './connect-sessions.store.ts';
import type { FinishGrant } from './finish-grant.ts';
import { createUserLimit } from './user-limit.ts';

type EndUser = PrincipalOf<['end_user']>;

export type UserSessions = ReturnType<typeof createUserSessions>;

/**
 * Connect sessions that another door of the gateway begins for a user whom it has verified, and ends with the code that
 * the user brings from the closing page. `returnUrl` is a page of the gateway's own, which shows the code.
 */
export function createUserSessions(
  deps: SessionTargetDependencies &
    SessionVariablesDependencies & {
      readonly sessions: Pick<ConnectSessionsStore, 'insert' | 'lock' | 'takePending' | 'keepResult'>;
      readonly finishGrant: FinishGrant;
      readonly recordActivity: RecordActivity;
      findProjectRules(projectId: string): Promise<{ readonly tagClaims: readonly string[] } | undefined>;
      readonly publicUrl: string;
      readonly sessionLifetimeSeconds: number;
      readonly sessionsPerUserPerHour: number;
      readonly sharedLimits: Pick<SharedLimits, 'limiter'>;
    },
) {
  const { db, sessions, publicUrl } = deps;
  const targets = createSessionTargets(deps);
  const judgeVariables = createSessionVariables(deps);
  const assertFewEnough = createUserLimit(deps.sharedLimits, deps.sessionsPerUserPerHour);
  const completeSession: CompleteSession = createCompleteSession(deps);

  return {
    /** Answers the link to open. Throws what `POST /connect-sessions` refuses with. */
    async begin(
      user: EndUser,
      wanted: {
        readonly provider: string;
        readonly connectionId?: string | undefined;
        readonly returnUrl: string;
        /** Verified, where the user came with one: tags are taken from its claims. */
        readonly token?: string | undefined;
      },
    ): Promise<{ readonly id: string; readonly url: string }> {
      const { projectId } = user;
      const body = createConnectSessionBody.parse({
        provider: wanted.provider,
        allowMultiple: wanted.connectionId === undefined,
        ...(wanted.connectionId !== undefined && { connectionId: wanted.connectionId }),
      });
      const integration = await targets.findIntegration(user, body);
      const { endUserId, personId } = await findMakerOfUser(user, body, deps.connections, db);
      const reauthorized = await targets.findConnection({ projectId, endUserId }, body, integration);
      const integrationId = reauthorized?.integrationId ?? integration?.id;
      await targets.assertUsable(projectId, body, integrationId);
      const applicationVariables = await judgeVariables(user, body, { projectId, integrationId });
      const rules = await deps.findProjectRules(projectId);
      if (rules === undefined) throw new HttpError('project_not_found');
      const tags = readClaimedTags(wanted.token, rules.tagClaims);
      await assertFewEnough(`${projectId} ${user.endUserId}`);
      const { token, hash } = createOpaqueToken('');
      const id = await db.transaction(async (trx: Db) => {
        const made = await sessions.insert(trx, {
          ...{
            projectId,
            endUserId,
            personId,
            tags,
            applicationVariables,
            returnUrl: wanted.returnUrl,
            tokenHash: hash,
          },
          ...{ integrationId: integrationId ?? null, integrationIds: null, tenantId: null, locale: null },
          ...{ connectionId: reauthorized?.id ?? null, origin: publicUrl, display: body.display },
          ...{ allowMultiple: body.allowMultiple, completion: body.completion },
          ...{ madeByKind: 'end_user', madeById: user.endUserId, madeByTokenId: null },
          lifetimeSeconds: deps.sessionLifetimeSeconds,
        });
        await deps.recordActivity(trx, {
          ...{ projectId, actor: user, action: 'connect_session.created', subjectId: made.id },
          details: { completion: made.completion, integrationUserId: endUserId },
        });
        return made.id;
      });
      return { id, url: `${publicUrl}/connect/${token}` };
    },
    /** Answers the id of the connection. Throws what `POST /connect-sessions/{id}/complete` refuses with. */
    complete: (user: EndUser, sessionId: string, completionCode: string): Promise<string> =>
      db.transaction((trx: Db) =>
        completeSession(trx, {
          ...{ principal: user, sessionId, projectIds: [user.projectId], completionCode },
          answersAgain: true,
        }),
      ),
  };
}
