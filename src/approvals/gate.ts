import { LRUCache } from 'lru-cache';
import type { RecordActivity } from '../activity/record.ts';
import { HttpError } from '../http/errors.ts';
import { entriesUpTo } from '../lib/entries-up-to.ts';
import { isUuid, newId } from '../lib/ids.ts';
import { sha256 } from '../lib/opaque-tokens.ts';
import { createRateLimiter } from '../lib/rate-limit.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { ApprovalQuestion, Approvals } from '../proxy/contract.ts';
import type { Approval, ApprovalState } from './approval.ts';
import { describeChange, formatAddress } from './approval-changes.ts';
import type { ApprovalsStore } from './approvals.store.ts';
import { readAsker } from './asker.ts';
import { type AskedCall, hashEntry, type SealedCalls } from './sealed-calls.ts';

/** What may wait for people at once. */
const WAITING_OF_USER_MAX = 20;
const WAITING_OF_PROJECT_MAX = 1_000;
const BYTES_OF_PROJECT_MAX = 64 * 1024 * 1024;
/** Of one user, in each process: questions and repeats of them, and questions that are new. */
const TRIES = { limit: 120, windowSeconds: 60 };
const QUESTIONS = { limit: 30, windowSeconds: 60 };
const OPENED_MAX = 10_000;
/** No access token of a client lives longer. */
const UNSAID_MS = 10 * 60_000;

export type GateDependencies = {
  readonly db: Db;
  readonly approvals: ApprovalsStore;
  readonly sealed: SealedCalls;
  readonly recordActivity: RecordActivity;
  lockEndUser(trx: Db, projectId: string, endUserId: string): Promise<void>;
  endUserId(projectId: string, subject: string): Promise<string>;
  readonly publicUrl: string;
  now(): number;
};

/** What the proxy asks about calls that need an approval. */
export function createGate(deps: GateDependencies): Approvals {
  const { db, approvals, sealed, publicUrl } = deps;
  const tries = createRateLimiter(TRIES);
  const questions = createRateLimiter(QUESTIONS);
  /** Openings last until their token ends, and are never taken back. */
  const opened = new LRUCache<string, { readonly untilMs: number }>(entriesUpTo(OPENED_MAX));

  /** The question with its asker in the place of the connection's owner, which may be an organization. */
  async function byAsker(question: ApprovalQuestion): Promise<ApprovalQuestion> {
    const { connection, user } = question;
    if (connection.organization === undefined) return question;
    const endUserId = await deps.endUserId(user.projectId, user.subject);
    return { ...question, connection: { ...connection, endUserId, organization: undefined } };
  }

  function isOpen(question: ApprovalQuestion): boolean | Promise<boolean> {
    if (question.needed.mode === 'each') return false;
    if (question.connection.organization !== undefined) return byAsker(question).then(isOpen);
    const { needed, token, connection } = question;
    const { projectId, endUserId } = connection;
    const tokenHash = sha256(token);
    const entryHash = hashEntry(needed.entryKey);
    const key = `${endUserId} ${tokenHash.toString('base64')} ${entryHash.toString('base64')}`;
    if ((opened.get(key)?.untilMs ?? 0) > deps.now()) return true;
    return approvals.isOpened(db, { projectId, endUserId, tokenHash, entryHash }).then((until) => {
      if (until !== undefined) opened.set(key, { untilMs: until.getTime() });
      return until !== undefined;
    });
  }

  async function spend(asking: ApprovalQuestion, body: Buffer, approvalId: string | undefined) {
    const question = await byAsker(asking);
    const { projectId, endUserId } = question.connection;
    spendTry(tries, `${projectId} ${endUserId}`);
    const { expiresAtMs, ...asker } = readAsker(question.token, question.door?.client);
    const asked = sealed.describe(question, body, asker);
    const id = question.door === undefined ? approvalId : await findApproved(question, asked);
    const isNamed = id !== undefined && isUuid(id);
    if (isNamed && (await spendNamed(question, asked, id, new Date(expiresAtMs)))) return;
    throw await ask(question, asked, body);
  }

  /** The approval of this very call, for the repeat that comes by another door: what calls there holds no approval. */
  async function findApproved({ connection }: ApprovalQuestion, { marks }: AskedCall) {
    const like = await approvals.findLike(db, connection, marks);
    return like?.state === 'approved' ? like.id : undefined;
  }

  /** True where the call may be sent; false where this is another question than the one that was approved. */
  async function spendNamed(question: ApprovalQuestion, asked: AskedCall, id: string, until: Date) {
    const { connection, needed, token } = question;
    // An approval that others have changed meanwhile is read once more: nothing but its end can have come.
    for (let round = 0; round < 2; round += 1) {
      const found = await approvals.findOfUser(db, id, connection);
      if (found === undefined || !asked.marks.includes(found.callMark) || found.state === 'expired')
        return false;
      if (found.state !== 'approved' || found.callSealed === null)
        throw refusalOf(found, question, publicUrl);
      // The mark is short: what counts is what was shown.
      if (sealed.open(found, found.callSealed).digest !== asked.stored.digest) return false;
      const opens =
        needed.mode === 'once' ? { tokenHash: sha256(token), until: endOf(until, deps.now()) } : undefined;
      const isClaimed = await db.transaction(async (trx) => {
        const isWon = await approvals.claim(trx, found, opens);
        if (isWon) await deps.recordActivity(trx, describeChange(found, 'approval.used', actorOf(question)));
        return isWon;
      });
      if (isClaimed) return true;
    }
    return false;
  }

  /** Stores the question, or finds the one about the same call, and gives the refusal that says where it is decided. */
  async function ask(question: ApprovalQuestion, asked: AskedCall, body: Buffer): Promise<HttpError> {
    const { connection } = question;
    const { projectId, endUserId } = connection;
    return db.transaction(async (trx) => {
      // Questions of one user wait for each other: the same call is asked about once.
      await deps.lockEndUser(trx, projectId, endUserId);
      const like = await approvals.findLike(trx, connection, asked.marks);
      if (like !== undefined) return refusalOf(like, question, publicUrl);
      const earlier = await approvals.findLike(trx, connection, asked.marks, 'any');
      const bytes = body.length + JSON.stringify(asked.stored).length;
      spendTry(questions, `${projectId} ${endUserId}`);
      assertRoom(await approvals.countWaiting(trx, connection), bytes);
      const id = newId();
      const of = { id, projectId };
      const { method, provider, needed } = question;
      const [callMark = ''] = asked.marks;
      const approval = {
        ...{ id, projectId, endUserId, provider, method, callMark, bytes },
        integrationId: connection.integrationId,
        connectionId: connection.connectionId,
        mode: needed.mode,
        entryHash: asked.entryHash,
      };
      await approvals.insert(trx, { ...approval, ...sealed.seal(of, asked.stored, body) });
      await deps.recordActivity(trx, describeChange(approval, 'approval.requested', actorOf(question)));
      return requiredError(id, publicUrl, earlier && AFTER[earlier.state]);
    });
  }

  return { isOpen, spend };
}

function actorOf({ connection, user, requestId }: ApprovalQuestion) {
  const { projectId, endUserId } = connection;
  return { kind: 'end_user' as const, projectId, endUserId, subject: user.subject, requestId };
}

function spendTry(limiter: ReturnType<typeof createRateLimiter>, key: string): void {
  const state = limiter.check(key);
  if (state.allowed) return;
  throw new HttpError('approval_limit', {
    detail: `A user may ask ${limiter.limit} times a minute.`,
    headers: { 'Retry-After': String(state.retryAfterSeconds) },
  });
}

function assertRoom(
  waiting: { readonly ofProject: number; readonly bytes: number; readonly ofUser: number },
  bytes: number,
): void {
  const limit =
    (waiting.ofUser >= WAITING_OF_USER_MAX && `${WAITING_OF_USER_MAX} calls of a user`) ||
    (waiting.ofProject >= WAITING_OF_PROJECT_MAX && `${WAITING_OF_PROJECT_MAX} calls of a project`) ||
    (waiting.bytes + bytes > BYTES_OF_PROJECT_MAX && `${BYTES_OF_PROJECT_MAX} bytes of a project`);
  if (limit === false) return;
  throw new HttpError('approval_limit', {
    detail: `At most ${limit} may wait for approval at once.`,
    headers: { 'Retry-After': '60' },
  });
}

/** A token that does not say when it ends is a client's that has signed in, which ends by itself. */
function endOf(until: Date, nowMs: number): Date {
  return until.getTime() === 0 ? new Date(nowMs + UNSAID_MS) : until;
}

/** What is said of a new question by what became of the one before about the same call. */
const AFTER: Readonly<Partial<Record<ApprovalState, string>>> = {
  expired:
    'The question about this call before this one has expired, and nothing was sent. This is a new one.',
  used: 'The same call was approved and sent before. This is a question about sending it again.',
  rejected: 'A person has refused the same call before. This is a new question.',
};

/** Why a call is not sent about which there is a question already. */
function refusalOf(found: Approval, { door }: ApprovalQuestion, publicUrl: string): HttpError {
  const extra = { approvalId: found.id, approvalUrl: formatAddress(found.id, publicUrl) };
  if (found.state === 'rejected') return new HttpError('approval_rejected', { extra });
  if (found.state === 'used') return new HttpError('approval_used', { extra });
  const detail =
    found.state === 'approved'
      ? `The call has been approved: send it again${door === undefined ? ' with `Gateway-Approval`' : ''}.`
      : undefined;
  return requiredError(found.id, publicUrl, detail);
}

function requiredError(approvalId: string, publicUrl: string, detail: string | undefined): HttpError {
  return new HttpError('approval_required', {
    ...(detail !== undefined && { detail }),
    extra: { approvalId, approvalUrl: formatAddress(approvalId, publicUrl) },
  });
}
