import type { PollResource } from '../../catalog/schema/provider-polls.schema.ts';
import type { PollTask } from '../pages/poll-task.ts';
import { toProgress } from '../pages/progress.ts';

/** A row of `poll_connections` with what belongs to it. */
export type TaskRow = {
  poll_id: string;
  connection_id: string;
  project_id: string;
  integration_id: string;
  end_user_id: string;
  subject: string | null;
  organization: string | null;
  account_id: string | null;
  present_account: string | null;
  account: string | null;
  service_provider: string;
  grant: string | null;
  resource: string | null;
  custom: PollResource | null;
  backfill: 'none' | 'full';
  deletes: 'none' | 'scan';
  scan_interval_seconds: number;
  fields: string[];
  parameters: Record<string, string>;
  interval_seconds: number;
  is_paused: boolean;
  record_set: string;
  progress: unknown;
  step: string;
  failures: number;
  now_ms: string;
  due_in_ms: number;
};

export function toTask(row: TaskRow): PollTask {
  return {
    pollId: row.poll_id,
    connectionId: row.connection_id,
    projectId: row.project_id,
    integrationId: row.integration_id,
    endUserId: row.end_user_id,
    subject: row.subject,
    organization: row.organization,
    accountId: row.account_id,
    account: row.present_account,
    accountRead: row.account,
    serviceProvider: row.service_provider,
    grant: row.grant,
    resourceName: row.resource,
    custom: row.custom,
    options: {
      backfill: row.backfill,
      deletes: row.deletes,
      scanIntervalMs: row.scan_interval_seconds * 1000,
      fields: row.fields,
      parameters: row.parameters,
    },
    intervalSeconds: row.interval_seconds,
    isPaused: row.is_paused,
    recordSet: row.record_set,
    progress: toProgress(row.progress),
    step: row.step,
    failures: row.failures,
    nowMs: Number(row.now_ms),
    dueInMs: row.due_in_ms,
  };
}
