import type { PollResource } from '../../catalog/schema/provider-polls.schema.ts';
import type { Phase, Progress } from '../pages/progress.ts';
import type { PolledConnection } from '../running/poll-status.store.ts';
import type { PolledConnectionWire, PollWire } from './polls.schema.ts';
import type { Poll, PollCounts } from './polls.store.ts';

const NO_COUNTS: PollCounts = { connections: 0, failing: 0, lagSeconds: null };
const CURSOR_SHOWN = 40;

export function toPollWire(poll: Poll, counts: PollCounts = NO_COUNTS): PollWire {
  const { pausedAt, version: _version, ...rest } = poll;
  const working = counts.failing > 0 ? 'failing' : 'running';
  return {
    ...rest,
    custom: poll.custom && { ...poll.custom },
    fields: [...poll.fields],
    parameters: { ...poll.parameters },
    state: pausedAt === null ? working : 'paused',
    connections: counts.connections,
    failingConnections: counts.failing,
    lagSeconds: counts.lagSeconds,
    createdAt: poll.createdAt.toISOString(),
    updatedAt: poll.updatedAt.toISOString(),
  };
}

export function toPolledConnectionWire(found: PolledConnection): PolledConnectionWire {
  const { progress } = found;
  return {
    connectionId: found.connectionId,
    integrationUserId: found.integrationUserId,
    userId: found.userId ?? '',
    owner:
      found.organization === null
        ? { type: 'user', id: found.userId ?? '' }
        : { type: 'organization', id: found.organization },
    accountName: found.accountName,
    state: stateOf(found),
    phase: phaseOf(progress),
    cursor: cursorOf(progress),
    lastRunAt: found.lastRunAt?.toISOString() ?? null,
    nextRunAt: found.isPaused ? null : (found.nextRunAt?.toISOString() ?? null),
    lagSeconds: found.lagSeconds,
    recordsSeen: progress.recordsSeen,
    pagesRead: progress.pagesRead,
    recordsInPass: progress.pass?.records ?? 0,
    lastError:
      found.errorCode === null
        ? null
        : { code: found.errorCode, detail: found.errorDetail, failures: found.failures },
  };
}

function stateOf(found: PolledConnection): PolledConnectionWire['state'] {
  if (found.isPaused) return 'paused';
  if (found.failures > 0) return 'failing';
  const isUnderWay = found.isRunning || found.progress.todo.length > 0;
  return isUnderWay && found.errorCode === null ? 'running' : 'waiting';
}

const PHASES: Readonly<Record<Phase, PolledConnectionWire['phase']>> = {
  subscribe: 'changes',
  mark: 'changes',
  start: 'changes',
  baseline: 'baseline',
  backfill: 'backfill',
  changes: 'changes',
  deleted: 'deleted',
  scan: 'scan',
  resync: 'scan',
  sweep: 'scan',
};

function phaseOf({ todo }: Progress): PolledConnectionWire['phase'] {
  const [task] = todo;
  return task === undefined ? null : PHASES[task];
}

/** A token may be long, and is nobody's business beyond its beginning. */
function cursorOf({ watermark, token }: Progress): string | null {
  if (watermark !== null) return new Date(watermark).toISOString();
  if (token === null) return null;
  return token.length <= CURSOR_SHOWN ? token : `…${token.slice(-CURSOR_SHOWN)}`;
}

export function toResourceWire(name: string, resource: PollResource) {
  const parameters = Object.entries(resource.parameters).map(([parameter, given]) => [
    parameter,
    { description: given.description, default: given.default ?? null, example: given.example ?? null },
  ]);
  return {
    name,
    title: resource.title ?? name,
    object: resource.object,
    docsUrl: resource.docsUrl ?? null,
    scopes: resource.scopes,
    notes: resource.notes,
    fields: resource.fields,
    parameters: Object.fromEntries(parameters),
    changes: resource.changes?.by ?? ('scan' as const),
    listsDeleted:
      resource.deleted !== undefined ||
      resource.record.deleted !== undefined ||
      resource.changes?.by === 'log',
    canScan: resource.list !== undefined,
    definition: { ...resource },
  };
}
