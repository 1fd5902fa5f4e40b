import { z } from 'zod';
import type { ActivityFilter } from '../activity/activity.store.ts';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { type PrincipalOf, principalKey } from '../http/principal.ts';
import { listQuery, readPage } from '../lib/cursor.ts';
import { givenInstant } from '../lib/instant.schema.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { Access } from './access.ts';
import { createExports, EXPORT_FORMATS, EXPORT_ROWS_MAX, MEDIA_TYPES } from './activity-export.ts';
import { ACTOR_KINDS, activityList, activityWire } from './activity-wire.ts';
import { listTimeline } from './connection-timeline.store.ts';

const activityFilters = {
  projectId: z.uuid().optional(),
  action: z
    .string()
    .regex(/^[a-z_.]{1,100}$/, 'The name of an action')
    .optional()
    .meta({ description: 'Exactly, such as `connection.created`.' }),
  subjectId: z.uuid().optional().meta({
    description:
      'The subject of the entries: a connection’s id gives its timeline, with its newest refresh (`connection.refreshed`).',
  }),
  subjectKind: z
    .string()
    .regex(/^[a-z_]{1,50}$/, 'The kind of a subject')
    .optional()
    .meta({ description: 'The word before the dot of an action, such as `connection`.' }),
  actorKind: z.enum(ACTOR_KINDS).optional(),
  actorId: z.uuid().optional(),
  requestId: z.uuid().optional(),
  from: givenInstant.optional(),
  to: givenInstant.optional().meta({ description: 'Not included.' }),
};
const activityQuery = z.strictObject({ ...listQuery, ...activityFilters });
const exportQuery = z.strictObject({ ...activityFilters, format: z.enum(EXPORT_FORMATS).default('csv') });

type Filters = Omit<z.output<typeof exportQuery>, 'format'>;

export function createActivityEndpoints({ db, access }: { db: Db; access: Access }): Endpoint[] {
  type Reader = PrincipalOf<['operator', 'api_key']>;

  /** What the principal asks for, within what it may see. */
  async function filterFor(
    principal: Reader,
    query: Filters,
  ): Promise<Omit<ActivityFilter, 'beforeId' | 'limit'>> {
    const visible = await access.projectsToAudit(principal);
    const { projectId, from, to, ...rest } = query;
    const isOwn = principal.kind === 'operator' && projectId === undefined;
    return {
      ...{ action: rest.action, subjectKind: rest.subjectKind, subjectId: rest.subjectId },
      ...{ actorKind: rest.actorKind, actorId: rest.actorId, requestId: rest.requestId },
      projectIds: projectId === undefined ? visible : visible.filter((id) => id === projectId),
      ownOfOperatorId: isOwn ? principal.operatorId : undefined,
      fromMs: from === undefined ? undefined : Date.parse(from),
      toMs: to === undefined ? undefined : Date.parse(to),
    };
  }

  const list = endpoint({
    operationId: 'listActivity',
    method: 'get',
    path: '/activity',
    summary: 'Read the audit log',
    description:
      'Who did what, newest first: of the projects that you are a member of, or owned when they were deleted (a key: its own), and what you did to your own credentials.',
    tag: 'Projects',
    principals: ['operator', 'api_key'],
    leastRole: 'anyone',
    keyScope: 'activity:read',
    query: activityQuery,
    success: { status: 200, schema: activityList, description: 'Entries, newest first' },
    async handler({ principal, query }) {
      const filter = await filterFor(principal, query);
      const { items, nextCursor } = await readPage(query, (window) =>
        listTimeline(db, { ...filter, ...window }),
      );
      return { body: { activity: items.map(activityWire), nextCursor } };
    },
  });

  const writeExport = createExports();
  const exportAll = endpoint({
    operationId: 'exportActivity',
    method: 'get',
    path: '/activity/export',
    summary: 'Export the audit log',
    description: `The same entries as CSV or JSON lines, the newest ${EXPORT_ROWS_MAX.toLocaleString('en')} at most; ask for what is older with \`to\`; two at a time. In CSV, text that a spreadsheet would take for a formula begins with an apostrophe.`,
    tag: 'Projects',
    principals: ['operator', 'api_key'],
    leastRole: 'anyone',
    keyScope: 'activity:read',
    query: exportQuery,
    success: { status: 200, mediaTypes: Object.values(MEDIA_TYPES), description: 'Entries, newest first' },
    async handler({ principal, query: { format, ...query } }) {
      const filter = await filterFor(principal, query);
      return {
        headers: {
          'Content-Type': MEDIA_TYPES[format],
          'Content-Disposition': `attachment; filename="activity.${format}"`,
        },
        stream: writeExport(principalKey(principal), format, (beforeId, limit) =>
          listTimeline(db, { ...filter, beforeId, limit }),
        ),
      };
    },
  });

  return [list, exportAll];
}
