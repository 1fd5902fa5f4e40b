import type { RecordActivity } from '../activity/record.ts';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { HttpError } from '../http/errors.ts';
import type { Principal } from '../http/principal.ts';
import { readPage } from '../lib/cursor.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { Access, AccessMode } from '../projects/access.ts';
import { describeWithdrawal } from './allow.ts';
import type { Consent } from './consent.ts';
import { consentList, consentParams, consentsQuery, toConsentWire } from './consents.schema.ts';
import type { ConsentsStore } from './consents.store.ts';

export type ConsentsDependencies = {
  readonly db: Db;
  readonly access: Access;
  readonly consents: ConsentsStore;
  readonly recordActivity: RecordActivity;
};

const TAG = 'Agents';
const ABSENT = 'agent_consent_not_found';

/** What persons have allowed agents, for their own eyes and for those who manage the project. */
export function createConsentsEndpoints(deps: ConsentsDependencies): Endpoint[] {
  return [listConsents(deps), withdrawConsent(deps)];
}

function findConsent(
  { db, access, consents }: ConsentsDependencies,
  principal: Principal,
  id: string,
  mode: AccessMode,
): Promise<Consent> {
  const isUser = principal.kind === 'end_user';
  return access.find(principal, isUser ? 'read' : mode, ABSENT, async (projectIds) => {
    const found = await consents.find(db, id, projectIds);
    return isUser && found?.endUserId !== principal.endUserId ? undefined : found;
  });
}

function listConsents({ db, access, consents }: ConsentsDependencies): Endpoint {
  return endpoint({
    operationId: 'listAgentConsents',
    method: 'get',
    path: '/agent-consents',
    summary: 'List what persons have allowed agents',
    description:
      'Clients that persons have signed in to, in the projects that you may read; a user’s own with a user token. A consent is forgotten when its client has not come back for 30 days.',
    tag: TAG,
    principals: ['operator', 'api_key', 'end_user'],
    keyScope: 'connections:read',
    leastRole: 'anyone',
    query: consentsQuery,
    success: { status: 200, schema: consentList, description: 'Consents, newest first' },
    errors: ['project_not_found'],
    async handler({ principal, query: { projectId, userId, ...window } }) {
      if (projectId !== undefined) await access.requireProjectAccess(principal, projectId, 'read');
      const projectIds = projectId === undefined ? await access.projectsOf(principal) : [projectId];
      const endUserId = principal.kind === 'end_user' ? principal.endUserId : undefined;
      const { items, nextCursor } = await readPage(window, (page) =>
        consents.list(db, { projectIds, endUserId, userId, ...page }),
      );
      return { body: { consents: items.map(toConsentWire), nextCursor } };
    },
  });
}

function withdrawConsent(deps: ConsentsDependencies): Endpoint {
  const { db, consents, recordActivity } = deps;
  return endpoint({
    operationId: 'withdrawAgentConsent',
    method: 'delete',
    path: '/agent-consents/{id}',
    summary: 'Withdraw what a person has allowed an agent',
    description:
      'All tokens of the client end at once. With a user token: the user’s own, and no token with a mandate, which is an agent’s.',
    tag: TAG,
    principals: ['operator', 'api_key', 'end_user'],
    keyScope: 'connections:write',
    leastRole: 'admin',
    params: consentParams,
    success: { status: 204, description: 'Withdrawn' },
    errors: [ABSENT, 'mandate_denied'],
    async handler({ principal, params: { id } }) {
      const consent = await findConsent(deps, principal, id, 'write');
      await db.transaction(async (trx) => {
        const ended = await consents.remove(trx, consent.id);
        if (ended === undefined) throw new HttpError(ABSENT);
        await recordActivity(trx, describeWithdrawal(ended, principal));
      });
      return {};
    },
  });
}
