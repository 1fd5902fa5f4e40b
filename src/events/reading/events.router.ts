import { type Endpoint, endpoint } from '../../http/endpoint.ts';
import type { Access } from '../../projects/access.ts';
import { assertMayAudit } from './audit-types.ts';
import { type EventsQuery, eventList, eventsQuery } from './events.schema.ts';

/** The pulled half of the stream of events. */
export function createEventsEndpoints(deps: {
  access: Access;
  readEvents(projectId: string, query: EventsQuery, signal: AbortSignal): Promise<string>;
}): Endpoint[] {
  const { access } = deps;

  const list = endpoint({
    operationId: 'listEvents',
    method: 'get',
    path: '/events',
    summary: 'Read the events of a project',
    description:
      'The oldest first, in one order that never shows an event before an earlier one. Keep `nextAfter` and send it as `after`: you see each event at least once, and none is skipped. With `wait`, the request stays open until there is an event.',
    tag: 'Events',
    principals: ['operator', 'api_key'],
    leastRole: 'viewer',
    keyScope: 'events:read',
    query: eventsQuery,
    success: { status: 200, schema: eventList, description: 'Events, the oldest first' },
    errors: ['project_not_found', 'events_expired'],
    async handler({ principal, query, request }) {
      assertMayAudit(principal, query.types);
      const projectId = await access.projectToRead(principal, query.projectId);
      const gone = new AbortController();
      request.res?.once('close', () => gone.abort());
      return { bodyText: await deps.readEvents(projectId, query, gone.signal) };
    },
  });

  return [list];
}
