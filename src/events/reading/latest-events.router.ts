import { z } from 'zod';
import { type Endpoint, endpoint } from '../../http/endpoint.ts';
import { HttpError } from '../../http/errors.ts';
import { decodeCursor, encodeCursor, listQuery } from '../../lib/cursor.ts';
import type { DataKeys } from '../../platform/data-keys.ts';
import type { Db } from '../../platform/postgres/database.ts';
import type { Access } from '../../projects/access.ts';
import { isAuditType } from '../stream/event.ts';
import { findPosition } from '../stream/events.store.ts';
import { assertMayAudit, assertMayAuditEvent, mayAudit } from './audit-types.ts';
import { eventFilterQuery, eventSchema } from './events.schema.ts';
import { findEvent, listSeenTypes, readLatest } from './latest-events.store.ts';
import { openEnvelopes } from './read-events.ts';

const TAG = 'Events';
const PRINCIPALS = ['operator', 'api_key'] as const;

const latestList = z
  .object({ events: z.array(eventSchema), nextCursor: z.string().nullable() })
  .meta({ id: 'LatestEventList' });

const seenTypeList = z
  .object({
    types: z.array(
      z.object({ type: z.string(), objectType: z.string().nullable(), lastAt: z.iso.datetime() }),
    ),
  })
  .meta({ id: 'SeenEventTypeList' });

/** The stream of events for people who look at it: the newest first, one event, and which types there are. */
export function createLatestEventsEndpoints(deps: {
  db: Db;
  dataKeys: DataKeys;
  access: Access;
}): Endpoint[] {
  const { db, dataKeys, access } = deps;

  /** Undefined where the cursor's event is not kept any more, and so none before it. */
  async function positionBefore(projectId: string, cursor: string | undefined): Promise<number | undefined> {
    const id = decodeCursor(cursor);
    if (id === undefined) return Number.MAX_SAFE_INTEGER;
    const position = await findPosition(db, projectId, id, 0);
    return typeof position === 'number' ? position : undefined;
  }

  const latest = endpoint({
    operationId: 'listLatestEvents',
    method: 'get',
    path: '/events/latest',
    summary: 'List the latest events of a project',
    description:
      'The newest first, for people who look. An application reads `GET /v1/events`, which never skips one.',
    tag: TAG,
    principals: [...PRINCIPALS],
    leastRole: 'viewer',
    keyScope: 'events:read',
    query: z.strictObject({ ...listQuery, ...eventFilterQuery }),
    success: { status: 200, schema: latestList, description: 'Events, the newest first' },
    errors: ['project_not_found'],
    async handler({ principal, query }) {
      const { cursor, limit, connectionId, types, integrationId, objectType, tag: tags } = query;
      assertMayAudit(principal, types);
      const projectId = await access.projectToRead(principal, query.projectId);
      const beforePosition = await positionBefore(projectId, cursor);
      if (beforePosition === undefined) return { body: { events: [], nextCursor: null } };
      const connectionIds = connectionId === undefined ? undefined : [connectionId];
      const filter = { types, integrationId, objectType, connectionIds, tags };
      const { rows, next } = await readLatest(db, { ...filter, projectId, beforePosition, limit });
      const envelopes = await openEnvelopes(db, dataKeys, rows);
      const nextCursor = JSON.stringify(next === undefined ? null : encodeCursor(next));
      return { bodyText: `{"events":[${envelopes.join(',')}],"nextCursor":${nextCursor}}` };
    },
  });

  const seenTypes = endpoint({
    operationId: 'listSeenEventTypes',
    method: 'get',
    path: '/events/types',
    summary: 'List the types of events that came',
    description: 'Of the newest 20,000 events of a project.',
    tag: TAG,
    principals: [...PRINCIPALS],
    leastRole: 'viewer',
    keyScope: 'events:read',
    query: z.strictObject({ projectId: eventFilterQuery.projectId }),
    success: { status: 200, schema: seenTypeList, description: 'Types by name, at most 200' },
    errors: ['project_not_found'],
    async handler({ principal, query }) {
      const projectId = await access.projectToRead(principal, query.projectId);
      const seen = await listSeenTypes(db, projectId);
      const types = mayAudit(principal) ? seen : seen.filter(({ type }) => !isAuditType(type));
      return { body: { types: types.map((one) => ({ ...one, lastAt: one.lastAt.toISOString() })) } };
    },
  });

  const get = endpoint({
    operationId: 'getEvent',
    method: 'get',
    path: '/events/{id}',
    summary: 'Read an event',
    tag: TAG,
    principals: [...PRINCIPALS],
    leastRole: 'viewer',
    keyScope: 'events:read',
    params: z.strictObject({ id: z.uuid() }),
    success: { status: 200, schema: eventSchema, description: 'The event' },
    errors: ['event_not_found'],
    async handler({ principal, params }) {
      const row = await access.find(principal, 'read', 'event_not_found', (projectIds) =>
        findEvent(db, params.id.toLowerCase(), projectIds),
      );
      assertMayAuditEvent(principal, row);
      const [bodyText] = await openEnvelopes(db, dataKeys, [row]);
      if (bodyText === undefined) throw new HttpError('event_not_found');
      return { bodyText };
    },
  });

  return [latest, seenTypes, get];
}
