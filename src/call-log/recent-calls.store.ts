import type { Knex } from 'knex';
import { z } from 'zod';
import { TOKEN_FAULTS } from '../http/token-refusal.ts';
import { createIdBound } from '../lib/ids.ts';
import type { Db } from '../platform/postgres/database.ts';
import { type CallOrigin, ORIGINS } from './call-outcome.ts';
import type { CallRecord } from './call-record.ts';
import type { KeptCall } from './kept-calls.ts';

/**
 * Stores calls; those of projects or end users that do not exist any more are left out. Answers those that are not: with a bad
 * token, the project is any text of the caller's.
 */
export async function insertCalls(db: Db, kept: readonly KeptCall[]): Promise<KeptCall[]> {
  const named = [...new Set(kept.map(({ call }) => call.projectId))];
  const living = new Set<string>(await db('projects').whereIn('id', named).pluck('id'));
  const users = [...new Set(kept.flatMap(({ call }) => call.endUserId ?? []))];
  const known = new Set<string>(
    users.length === 0 ? [] : await db('end_users').whereIn('id', users).pluck('id'),
  );
  const stored = kept.filter(
    ({ call }) => living.has(call.projectId) && (call.endUserId === null || known.has(call.endUserId)),
  );
  if (stored.length > 0) await db('recent_calls').insert(stored.map(rowOf)).onConflict('request_id').ignore();
  return stored;
}

function rowOf({ call, isSample }: KeptCall) {
  return {
    request_id: call.requestId,
    project_id: call.projectId,
    is_sample: isSample,
    at: call.at,
    method: call.method,
    path: call.path,
    provider: call.provider,
    integration_id: call.integrationId,
    connection_id: call.connectionId,
    end_user_id: call.endUserId,
    subject: call.subject,
    organization: call.organization,
    status: call.status,
    origin: call.origin,
    code: call.code,
    token_fault: call.tokenFault,
    attempts: call.attempts,
    duration_ms: call.durationMs,
    provider_ms: call.providerMs,
    request_bytes: call.requestBytes,
    response_bytes: call.responseBytes,
    trace_id: call.traceId,
    mandates: call.mandates.length === 0 ? null : JSON.stringify(call.mandates),
    actors: call.actors.length === 0 ? null : JSON.stringify(call.actors),
  };
}

type CallFilter = {
  readonly requestId?: string | undefined;
  readonly connectionId?: string | undefined;
  readonly integrationId?: string | undefined;
  readonly provider?: string | undefined;
  readonly subject?: string | undefined;
  /** Of the caller. */
  readonly organization?: string | undefined;
  /** Tags that the connection has. */
  readonly tags?: Readonly<Record<string, string>> | undefined;
  readonly status?: number | undefined;
  /** The first digit of the status. */
  readonly statusClass?: number | undefined;
  readonly origin?: CallOrigin | undefined;
  readonly mandateId?: string | undefined;
  readonly actor?: string | undefined;
  readonly beforeId?: string | undefined;
  readonly limit: number;
};

const ROWS = z.array(
  z.object({
    request_id: z.string(),
    project_id: z.string(),
    at: z.date(),
    method: z.string(),
    path: z.string(),
    provider: z.string(),
    integration_id: z.string().nullable(),
    connection_id: z.string().nullable(),
    end_user_id: z.string().nullable(),
    subject: z.string().nullable(),
    organization: z.string().nullable(),
    status: z.number(),
    origin: z.enum(ORIGINS),
    code: z.string().nullable(),
    token_fault: z.enum(TOKEN_FAULTS).nullable().catch(null),
    attempts: z.number(),
    duration_ms: z.number(),
    provider_ms: z.number(),
    request_bytes: z.coerce.number(),
    response_bytes: z.coerce.number(),
    trace_id: z.string().nullable(),
    mandates: z.array(z.object({ id: z.string(), entry: z.number().nullable() })).nullable(),
    actors: z.array(z.object({ id: z.string(), name: z.string().optional() })).nullable(),
  }),
);

/** Kept calls of a project, the newest first. */
export async function listCalls(
  db: Db,
  { projectId, ...filter }: CallFilter & { readonly projectId: string },
): Promise<CallRecord[]> {
  return listCallsOfProjects(db, { ...filter, projectIds: [projectId] });
}

/** The same of several projects. */
export async function listCallsOfProjects(
  db: Db,
  filter: CallFilter & { readonly projectIds: readonly string[] },
): Promise<CallRecord[]> {
  const query = db('recent_calls').whereIn('project_id', filter.projectIds);
  const equal: Record<string, string | number | undefined> = {
    request_id: filter.requestId,
    connection_id: filter.connectionId,
    integration_id: filter.integrationId,
    provider: filter.provider,
    subject: filter.subject,
    organization: filter.organization,
    status: filter.status,
    origin: filter.origin,
  };
  for (const [column, value] of Object.entries(equal)) if (value !== undefined) query.where(column, value);
  if (filter.statusClass !== undefined)
    query.whereBetween('status', [filter.statusClass * 100, filter.statusClass * 100 + 99]);
  const { mandateId, actor } = filter;
  if (mandateId !== undefined) query.whereRaw('mandates @> ?::jsonb', [JSON.stringify([{ id: mandateId }])]);
  if (actor !== undefined) query.whereRaw('actors @> ?::jsonb', [JSON.stringify([{ id: actor }])]);
  if (filter.tags !== undefined)
    query.whereRaw(
      `connection_id IN (SELECT c.id FROM connections AS c WHERE c.project_id = ANY(?::uuid[]) AND c.tags @> ?::jsonb)`,
      [[...filter.projectIds], JSON.stringify(filter.tags)],
    );
  if (filter.beforeId !== undefined) query.where('request_id', '<', filter.beforeId);
  const rows = await query.orderBy('request_id', 'desc').limit(filter.limit);
  return ROWS.parse(rows).map(fromRow);
}

function fromRow(row: z.infer<typeof ROWS>[number]): CallRecord {
  return {
    requestId: row.request_id,
    projectId: row.project_id,
    at: row.at,
    method: row.method,
    path: row.path,
    provider: row.provider,
    integrationId: row.integration_id,
    connectionId: row.connection_id,
    endUserId: row.end_user_id,
    subject: row.subject,
    organization: row.organization,
    status: row.status,
    origin: row.origin,
    code: row.code,
    tokenFault: row.token_fault,
    attempts: row.attempts,
    durationMs: row.duration_ms,
    providerMs: row.provider_ms,
    requestBytes: row.request_bytes,
    responseBytes: row.response_bytes,
    traceId: row.trace_id,
    mandates: row.mandates ?? [],
    actors: row.actors ?? [],
  };
}

/** What calls without a valid token may take of what a project keeps: anyone can make them. */
const UNVERIFIED_SHARE = 0.1;

/**
 * Erases the oldest calls of these projects beyond `keepMax`: samples have at most a half, calls whose user is not known
 * a tenth.
 */
export async function trimCalls(db: Db, projectIds: readonly string[], keepMax: number): Promise<void> {
  for (const projectId of projectIds) {
    const ofKind = (isSample: boolean) =>
      db('recent_calls').where({ project_id: projectId, is_sample: isSample });
    const ofStrangers = () => ofKind(false).whereNull('subject');
    await trimTo(ofStrangers, Math.ceil(keepMax * UNVERIFIED_SHARE));
    await trimTo(() => ofKind(true), Math.ceil(keepMax / 2));
    await trimTo(() => ofKind(false), Math.ceil(keepMax / 2));
  }
}

async function trimTo(select: () => Knex.QueryBuilder, keepMax: number): Promise<void> {
  const newestToErase = select().orderBy('request_id', 'desc').offset(keepMax).limit(1).select('request_id');
  await select().where('request_id', '<=', newestToErase).delete();
}

const PURGE_BATCH = 2_000;

/** Erases calls older than `keepDays`, a batch at a time. Request ids begin with their time. */
export async function purgeCallsOfAnyProject(
  db: Db,
  { keepDays, nowMs, signal }: { keepDays: number; nowMs: number; signal: AbortSignal },
): Promise<void> {
  const bound = createIdBound(nowMs - keepDays * 86_400_000);
  for (let erased = PURGE_BATCH; erased === PURGE_BATCH && !signal.aborted; ) {
    const oldest = db('recent_calls')
      .where('request_id', '<', bound)
      .orderBy('request_id')
      .limit(PURGE_BATCH)
      .select('request_id');
    erased = await db('recent_calls').whereIn('request_id', oldest).delete();
  }
}
