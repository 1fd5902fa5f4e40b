import { z } from 'zod';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { listQuery, readPage } from '../lib/cursor.ts';
import type { Access } from './access.ts';
import type { EndUser, EndUsers } from './end-users.store.ts';
import { projectParams } from './projects.schema.ts';
import { userIdText } from './texts.schema.ts';

const endUserSchema = z
  .object({
    id: z.uuid().meta({ description: 'What connections show as `integrationUserId`.' }),
    userId: z.string().meta({ description: 'Your own id of the user, the `sub` of their tokens.' }),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'EndUser' });

const endUserList = z
  .object({ users: z.array(endUserSchema), nextCursor: z.string().nullable() })
  .meta({ id: 'EndUserList' });

const endUsersQuery = z.strictObject({
  ...listQuery,
  userId: userIdText.optional(),
  integrationUserId: z.uuid().optional(),
});

export function createEndUsersEndpoints(deps: {
  access: Access;
  endUsers: Pick<EndUsers, 'list'>;
}): Endpoint[] {
  const list = endpoint({
    operationId: 'listUsers',
    method: 'get',
    path: '/projects/{projectId}/users',
    summary: 'List the users of a project',
    description: 'Maps your own user ids to `integrationUserId`, and back, for users that were seen before.',
    tag: 'Projects',
    principals: ['operator', 'api_key'],
    leastRole: 'viewer',
    keyScope: 'connections:read',
    params: projectParams,
    query: endUsersQuery,
    success: { status: 200, schema: endUserList, description: 'Users, the one seen first last' },
    errors: ['project_not_found'],
    async handler({ principal, params: { projectId }, query }) {
      await deps.access.requireProjectAccess(principal, projectId, 'read');
      const filter = { projectId, subject: query.userId, endUserId: query.integrationUserId };
      const { items, nextCursor } = await readPage(query, (window) =>
        deps.endUsers.list({ ...filter, ...window }),
      );
      return { body: { users: items.map(wire), nextCursor } };
    },
  });

  return [list];
}

function wire({ id, subject, createdAt }: EndUser) {
  return { id, userId: subject, createdAt: createdAt.toISOString() };
}
