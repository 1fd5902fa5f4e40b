import type { ActivityRow } from '../activity/activity.store.ts';
import type { RecordedListener } from '../activity/create-activity.ts';
import { afterCommit } from '../platform/postgres/after-commit.ts';
import type { AuditRecord, Telemetry } from '../platform/telemetry.ts';
import { activityWire } from './activity-wire.ts';

/** Sends each entry of the audit log to where logs are gathered, once it has committed. */
export function createSendAudit(send: NonNullable<Telemetry['sendAudit']>): RecordedListener {
  return (trx, _changes, entries) =>
    afterCommit(trx, () => {
      for (const entry of entries) send(toAuditRecord(entry));
    });
}

/** The body is the entry as `GET /v1/activity` gives it, without the names that it looks up. */
function toAuditRecord(entry: ActivityRow): AuditRecord {
  const wire = activityWire(entry);
  const { id, projectId, actorKind, actorId, action, subjectKind, subjectId, requestId } = wire;
  return {
    name: `activity.${action}`,
    atMs: entry.created_at.getTime(),
    attributes: {
      'gateway.activity.id': id,
      'gateway.project.id': projectId ?? undefined,
      'gateway.actor.kind': actorKind,
      'gateway.actor.id': actorId ?? undefined,
      'gateway.subject.kind': subjectKind,
      'gateway.subject.id': subjectId ?? undefined,
      'gateway.request_id': requestId ?? undefined,
    },
    body: JSON.stringify(wire),
  };
}
