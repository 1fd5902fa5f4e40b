import type { PollResource } from '../../catalog/schema/provider-polls.schema.ts';
import { HttpError } from '../../http/errors.ts';
import { newId } from '../../lib/ids.ts';
import type { Db } from '../../platform/postgres/database.ts';

/** What is polled, how often, and for whom. */
export type Poll = {
  readonly id: string;
  readonly projectId: string;
  readonly integrationId: string;
  readonly serviceProvider: string;
  readonly grant: string | null;
  /** The name of the catalog's resource; null where the poll brings its own. */
  readonly resource: string | null;
  readonly custom: PollResource | null;
  readonly objectType: string;
  readonly intervalSeconds: number;
  readonly fields: readonly string[];
  readonly parameters: Readonly<Record<string, string>>;
  readonly backfill: 'none' | 'full';
  readonly deletes: 'none' | 'scan';
  readonly scanIntervalSeconds: number;
  readonly pausedAt: Date | null;
  readonly version: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

export type PollToInsert = Omit<
  Poll,
  'id' | 'serviceProvider' | 'grant' | 'pausedAt' | 'version' | 'createdAt' | 'updatedAt'
> & {
  readonly createdBy: string;
};
export type PollChange = {
  readonly [Name in 'intervalSeconds' | 'fields' | 'deletes' | 'scanIntervalSeconds']?:
    | Poll[Name]
    | undefined;
};

/** How the connections of a poll are doing, all together. */
export type PollCounts = {
  readonly connections: number;
  readonly failing: number;
  readonly lagSeconds: number | null;
};

type PollRow = {
  id: string;
  project_id: string;
  integration_id: string;
  service_provider: string;
  grant: string | null;
  resource: string | null;
  custom: PollResource | null;
  object_type: string;
  interval_seconds: number;
  fields: string[];
  parameters: Record<string, string>;
  backfill: 'none' | 'full';
  deletes: 'none' | 'scan';
  scan_interval_seconds: number;
  paused_at: Date | null;
  version: number;
  created_at: Date;
  updated_at: Date;
};

export type PollsStore = ReturnType<typeof createPollsStore>;

/** SQL over polls. Every read and write names the projects that the caller may see. */
export function createPollsStore() {
  function select(db: Db) {
    return db('polls')
      .join('integrations', (on) =>
        on.on('integrations.id', 'polls.integration_id').andOn('integrations.project_id', 'polls.project_id'),
      )
      .whereNull('integrations.deleted_at')
      .select('polls.*', 'integrations.service_provider', 'integrations.grant');
  }

  async function find(db: Db, id: string, projectIds: readonly string[]): Promise<Poll | undefined> {
    const row: PollRow | undefined = await select(db)
      .where('polls.id', id)
      .whereIn('polls.project_id', [...projectIds])
      .first();
    return row && toPoll(row);
  }

  async function list(
    db: Db,
    filter: {
      projectIds: readonly string[];
      integrationId?: string | undefined;
      tags?: Readonly<Record<string, string>> | undefined;
      beforeId?: string | undefined;
      limit: number;
    },
  ): Promise<Poll[]> {
    const query = select(db)
      .whereIn('polls.project_id', [...filter.projectIds])
      .orderBy('polls.id', 'desc')
      .limit(filter.limit);
    if (filter.integrationId !== undefined) query.where('polls.integration_id', filter.integrationId);
    if (filter.tags !== undefined)
      query.whereRaw(
        `EXISTS (SELECT 1 FROM poll_connections AS s JOIN connections AS c ON c.id = s.connection_id
          WHERE s.poll_id = polls.id AND c.tags @> ?::jsonb)`,
        [JSON.stringify(filter.tags)],
      );
    if (filter.beforeId !== undefined) query.where('polls.id', '<', filter.beforeId);
    const rows: PollRow[] = await query;
    return rows.map(toPoll);
  }

  /** Undefined where the integration has a poll of such objects already. */
  async function insert(trx: Db, poll: PollToInsert): Promise<Poll | undefined> {
    const id = newId();
    const made = await trx('polls')
      .insert({
        id,
        project_id: poll.projectId,
        integration_id: poll.integrationId,
        resource: poll.resource,
        custom: poll.custom === null ? null : JSON.stringify(poll.custom),
        object_type: poll.objectType,
        interval_seconds: poll.intervalSeconds,
        fields: [...poll.fields],
        parameters: JSON.stringify(poll.parameters),
        backfill: poll.backfill,
        deletes: poll.deletes,
        scan_interval_seconds: poll.scanIntervalSeconds,
        created_by: poll.createdBy,
        updated_by: poll.createdBy,
      })
      .onConflict()
      .ignore()
      .returning('id');
    if (made.length === 0) return undefined;
    const found = await find(trx, id, [poll.projectId]);
    // Another request deleted the integration after this one had read it.
    if (found === undefined) throw new HttpError('integration_not_found');
    return found;
  }

  /** Undefined where it was changed or deleted meanwhile. */
  async function update(
    trx: Db,
    { id, projectId, version }: Poll,
    change: PollChange & { pausedAt?: Date | null; updatedBy: string },
  ): Promise<Poll | undefined> {
    const changed = await trx('polls')
      .where({ id, project_id: projectId, version })
      .update({
        ...(change.intervalSeconds !== undefined && { interval_seconds: change.intervalSeconds }),
        ...(change.fields !== undefined && { fields: [...change.fields] }),
        ...(change.deletes !== undefined && { deletes: change.deletes }),
        ...(change.scanIntervalSeconds !== undefined && {
          scan_interval_seconds: change.scanIntervalSeconds,
        }),
        ...(change.pausedAt !== undefined && { paused_at: change.pausedAt }),
        updated_by: change.updatedBy,
        updated_at: trx.fn.now(),
        version: version + 1,
      });
    return changed === 0 ? undefined : find(trx, id, [projectId]);
  }

  /** False where it was changed or deleted meanwhile. */
  async function remove(trx: Db, { id, projectId, version }: Poll): Promise<boolean> {
    return (await trx('polls').where({ id, project_id: projectId, version }).delete()) > 0;
  }

  async function counts(db: Db, polls: readonly Poll[]): Promise<Map<string, PollCounts>> {
    const { rows } = await db.raw(
      `SELECT poll_id, count(*)::integer AS connections, (count(*) FILTER (WHERE failures > 0))::integer AS failing,
              max(extract(epoch FROM now() - caught_up_at))::integer AS lag
         FROM poll_connections WHERE poll_id = ANY(?::uuid[]) GROUP BY poll_id`,
      [polls.map(({ id }) => id)],
    );
    return new Map(
      rows.map((row: { poll_id: string; connections: number; failing: number; lag: number | null }) => [
        row.poll_id,
        { connections: row.connections, failing: row.failing, lagSeconds: row.lag },
      ]),
    );
  }

  return { find, list, insert, update, remove, counts };
}

function toPoll(row: PollRow): Poll {
  return {
    id: row.id,
    projectId: row.project_id,
    integrationId: row.integration_id,
    serviceProvider: row.service_provider,
    grant: row.grant,
    resource: row.resource,
    custom: row.custom,
    objectType: row.object_type,
    intervalSeconds: row.interval_seconds,
    fields: row.fields,
    parameters: row.parameters,
    backfill: row.backfill,
    deletes: row.deletes,
    scanIntervalSeconds: row.scan_interval_seconds,
    pausedAt: row.paused_at,
    version: row.version,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
