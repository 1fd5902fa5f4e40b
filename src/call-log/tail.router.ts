import { authenticateAgain } from '../http/authenticate-again.ts';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { HttpError } from '../http/errors.ts';
import type { Authenticate } from '../http/principal.ts';
import type { Access } from '../projects/access.ts';
import { projectParams } from './stats.schema.ts';
import type { Tails } from './tail.ts';

type TailDependencies = {
  readonly access: Access;
  readonly authenticate: Authenticate;
  readonly tails: Tails;
};

const SCOPE = 'activity:read';

/** A project's calls and activity as they happen. */
export function createTailEndpoints({ access, authenticate, tails }: TailDependencies): Endpoint[] {
  const follow = endpoint({
    operationId: 'tailProject',
    method: 'get',
    path: '/projects/{projectId}/tail',
    summary: 'Follow proxied calls and activity',
    description:
      'Server-sent events of all processes, for five minutes: `begin`, `call` (a Call), `activity` (an Activity), `dropped` (`{ calls }`: more calls than can be shown) and `end` (`{ reason }`). A reader that is too slow is cut off.',
    tag: 'Calls',
    principals: ['operator', 'api_key'],
    leastRole: 'viewer',
    keyScope: SCOPE,
    params: projectParams,
    success: { status: 200, mediaTypes: ['text/event-stream'], description: 'Events' },
    errors: ['project_not_found'],
    async handler({ principal, params: { projectId }, request }) {
      await access.requireProjectAccess(principal, projectId, 'read');
      const party = await tails.assertRoom(projectId);
      const { rawHeaders, headers, ip } = request;
      /** Asked while the tail is open. */
      const isAllowed = async () => {
        try {
          const caller = await authenticateAgain(authenticate, { rawHeaders, headers, ip }, SCOPE);
          return (await access.projectsOf(caller)).includes(projectId);
        } catch (error) {
          if (error instanceof HttpError && [401, 403].includes(error.status)) return false;
          throw error;
        }
      };
      return {
        // nginx holds nothing back.
        headers: { 'X-Accel-Buffering': 'no' },
        async stream(response, signal) {
          // Node would send the head with the end, which comes after minutes.
          if (request.method === 'HEAD') response.end();
          else await tails.follow({ projectId, party }, response, signal, isAllowed);
        },
      };
    },
  });
  return [follow];
}
