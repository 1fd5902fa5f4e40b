import { authenticateAgain } from '../../http/authenticate-again.ts';
import { callerGone } from '../../http/caller-gone.ts';
import { type Endpoint, endpoint } from '../../http/endpoint.ts';
import { HttpError } from '../../http/errors.ts';
import type { Authenticate } from '../../http/principal.ts';
import type { Access } from '../../projects/access.ts';
import { assertMayAudit } from './audit-types.ts';
import { type EventsQuery, eventList, eventsQuery } from './events.schema.ts';

const SCOPE = 'events:read';

/** The pulled half of the stream of events. */
export function createEventsEndpoints(deps: {
  access: Access;
  authenticate: Authenticate;
  readEvents(projectId: string, query: EventsQuery, signal: AbortSignal): Promise<string>;
}): Endpoint[] {
  const { access, authenticate } = deps;

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
    keyScope: SCOPE,
    query: eventsQuery,
    success: { status: 200, schema: eventList, description: 'Events, the oldest first' },
    errors: ['project_not_found', 'events_expired'],
    async handler({ principal, query, request }) {
      assertMayAudit(principal, query.types);
      const projectId = await access.projectToRead(principal, query.projectId);
      const { rawHeaders, headers, ip } = request;
      const bodyText = await deps.readEvents(projectId, query, callerGone(request.res));
      if (query.wait > 0) {
        const caller = await authenticateAgain(authenticate, { rawHeaders, headers, ip }, SCOPE);
        assertMayAudit(caller, query.types);
        if (!(await access.projectsOf(caller)).includes(projectId)) throw new HttpError('project_not_found');
      }
      return { bodyText };
    },
  });

  return [list];
}
