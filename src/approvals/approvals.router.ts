import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { HttpError } from '../http/errors.ts';
import type { Principal } from '../http/principal.ts';
import { readPage } from '../lib/cursor.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { Access, AccessMode } from '../projects/access.ts';
import type { Approval, Decision, StoredCall } from './approval.ts';
import {
  type ApprovalWire,
  approvalList,
  approvalParams,
  approvalSchema,
  approvalsQuery,
  createSessionBody,
  sessionSchema,
  toApprovalWire,
} from './approvals.schema.ts';
import type { ApprovalsStore } from './approvals.store.ts';
import type { Decide } from './decide.ts';
import type { PageSessions } from './page-sessions.ts';
import type { SealedCalls } from './sealed-calls.ts';

export type ApprovalsDependencies = {
  readonly db: Db;
  readonly access: Access;
  readonly approvals: ApprovalsStore;
  readonly sealed: SealedCalls;
  readonly decide: Decide;
  readonly sessions: PageSessions;
  readonly publicUrl: string;
};

const TAG = 'Approvals';
const ABSENT = 'approval_not_found';

/** Calls that wait for a person, for those who may decide; the page of one, for the person. */
export function createApprovalsEndpoints(deps: ApprovalsDependencies): Endpoint[] {
  return [
    listApprovals(deps),
    getApproval(deps),
    createDecision(deps, 'approved'),
    createDecision(deps, 'rejected'),
    createSession(deps),
  ];
}

/** The approval, for its user and for a principal that manages its project; `approval_not_found` for any other. */
function findApproval(
  { db, access, approvals }: ApprovalsDependencies,
  principal: Principal,
  id: string,
  mode: AccessMode,
): Promise<Approval> {
  const isUser = principal.kind === 'end_user';
  return access.find(principal, isUser ? 'read' : mode, ABSENT, async (projectIds) => {
    const found = await approvals.find(db, id, projectIds);
    return isUser && found?.endUserId !== principal.endUserId ? undefined : found;
  });
}

/** A token with a mandate is an agent's: it sees how its questions stand, and nothing of what was asked. */
function openFor({ sealed }: ApprovalsDependencies, principal: Principal, approval: Approval) {
  const isAgent = principal.kind === 'end_user' && principal.hasMandate === true;
  if (isAgent || approval.callSealed === null) return undefined;
  return sealed.open(approval, approval.callSealed);
}

function listApprovals(deps: ApprovalsDependencies): Endpoint {
  const { db, access, approvals, publicUrl } = deps;
  return endpoint({
    operationId: 'listApprovals',
    method: 'get',
    path: '/approvals',
    summary: 'List calls that wait for approval, or did',
    description:
      'Of the projects that you may read; a user’s own with a user token. An approval is forgotten a day after its end, what was asked at its end.',
    tag: TAG,
    principals: ['operator', 'api_key', 'end_user'],
    keyScope: 'approvals',
    leastRole: 'anyone',
    query: approvalsQuery,
    success: { status: 200, schema: approvalList, description: 'Approvals, newest first' },
    errors: ['project_not_found'],
    async handler({ principal, query: { projectId, userId, state, ...window } }) {
      if (projectId !== undefined) await access.requireProjectAccess(principal, projectId, 'read');
      const projectIds = projectId === undefined ? await access.projectsOf(principal) : [projectId];
      const endUserId = principal.kind === 'end_user' ? principal.endUserId : undefined;
      const { items, nextCursor } = await readPage(window, (page) =>
        approvals.list(db, { projectIds, endUserId, userId, state, ...page }),
      );
      const wire = (approval: Approval): ApprovalWire =>
        toApprovalWire(approval, publicUrl, { call: openFor(deps, principal, approval) });
      return { body: { approvals: items.map(wire), nextCursor } };
    },
  });
}

function getApproval(deps: ApprovalsDependencies): Endpoint {
  return endpoint({
    operationId: 'getApproval',
    method: 'get',
    path: '/approvals/{id}',
    summary: 'Read an approval with the exact call',
    tag: TAG,
    principals: ['operator', 'api_key', 'end_user'],
    keyScope: 'approvals',
    leastRole: 'viewer',
    params: approvalParams,
    success: { status: 200, schema: approvalSchema, description: 'The approval' },
    errors: [ABSENT],
    async handler({ principal, params: { id } }) {
      const approval = await findApproval(deps, principal, id, 'read');
      const call = openFor(deps, principal, approval);
      const body = call && (await readBody(deps, approval, call));
      return { body: toApprovalWire(approval, deps.publicUrl, body === undefined ? {} : { call, body }) };
    },
  });
}

/** Undefined where the call has ended meanwhile, and its body with it. */
export async function readBody(
  { db, approvals, sealed }: Pick<ApprovalsDependencies, 'db' | 'approvals' | 'sealed'>,
  approval: Approval,
  call: StoredCall,
): Promise<Buffer | undefined> {
  if (call.bodyBytes === 0) return Buffer.alloc(0);
  const text = await approvals.readBody(db, approval);
  return text === null ? undefined : sealed.openBody(approval, text);
}

const DECISIONS = {
  approved: {
    operationId: 'approveApproval',
    verb: 'approve',
    summary: 'Approve a call',
    description:
      'The caller may then send this very call, once, within the time that `expiresAt` says. Of `mode` `once`, later calls of the token by the same entry pass as well.',
    done: 'Approved',
  },
  rejected: {
    operationId: 'rejectApproval',
    verb: 'reject',
    summary: 'Refuse a call',
    description: 'Also one that was approved and has not been sent yet.',
    done: 'Refused',
  },
} as const;

function createDecision(deps: ApprovalsDependencies, decision: Decision): Endpoint {
  const { operationId, verb, summary, description, done } = DECISIONS[decision];
  return endpoint({
    operationId,
    method: 'post',
    path: `/approvals/{id}/${verb}`,
    summary,
    description: `${description} By an operator, an API key, or the user’s token without a mandate; never by a token with one.`,
    tag: TAG,
    principals: ['operator', 'api_key', 'end_user'],
    keyScope: 'approvals',
    leastRole: 'admin',
    params: approvalParams,
    success: { status: 200, schema: approvalSchema, description: done },
    errors: [ABSENT, 'approval_decided', 'mandate_denied'],
    async handler({ principal, params: { id }, commitReply }) {
      const approval = await findApproval(deps, principal, id, 'write');
      return commitReply(deps.db, async (trx) => {
        const decided = await deps.decide(trx, approval, decision, principal);
        // The reply is kept for repeats: what was asked stays out of it.
        return { body: toApprovalWire(decided, deps.publicUrl, {}) };
      });
    },
  });
}

function createSession(deps: ApprovalsDependencies): Endpoint {
  return endpoint({
    operationId: 'createApprovalSession',
    method: 'post',
    path: '/approvals/{id}/sessions',
    summary: 'Open the page of an approval for its user',
    description:
      'For your page that signs the person in and sends their browser on: the address that an agent shows holds no secret, and opens nothing by itself. With an API key, or with a user token without a mandate.',
    tag: TAG,
    principals: ['api_key', 'end_user'],
    keyScope: 'approvals',
    params: approvalParams,
    body: createSessionBody,
    requestExample: { userId: 'customer-17' },
    success: { status: 201, schema: sessionSchema, description: 'The link' },
    errors: [ABSENT, 'approval_decided', 'mandate_denied'],
    async handler({ principal, params: { id }, body: { userId, locale }, commitReply }) {
      const approval = await findApproval(deps, principal, id, 'write');
      assertPerson(principal, approval, userId);
      if (approval.state !== 'pending' && approval.state !== 'approved')
        throw new HttpError('approval_decided');
      return commitReply(deps.db, async (trx) => {
        const { url, expiresAt } = await deps.sessions.create(trx, approval, locale ?? null);
        return {
          body: { url, expiresAt: expiresAt.toISOString() },
          headers: { 'Cache-Control': 'no-store' },
        };
      });
    },
  });
}

/** The person whom the application has signed in must be the one for whom the call is made. */
function assertPerson(principal: Principal, approval: Approval, userId: string | undefined): void {
  if (principal.kind === 'api_key' && userId === undefined) {
    throw new HttpError('invalid_request', {
      errors: [{ path: 'body.userId', message: 'required: an API key stands for no user' }],
    });
  }
  if (userId !== undefined && userId !== approval.userId) throw new HttpError(ABSENT);
}
