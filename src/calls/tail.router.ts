import { type Endpoint, endpoint } from '../http/endpoint.ts';
import type { Access } from '../projects/access.ts';
import { projectParams } from './stats.schema.ts';
import type { Tails } from './tail.ts';

/** A project's calls and activity as they happen. */
export function createTailEndpoints({ access, tails }: { access: Access; tails: Tails }): Endpoint[] {
  const follow = endpoint({
    operationId: 'tailProject',
    method: 'get',
    path: '/projects/{projectId}/tail',
    summary: 'Follow proxied calls and activity',
    description:
      'Server-sent events of all processes, for five minutes: `begin`, `call` (a Call), `activity` (an Activity), `dropped` (`{ calls }`: more calls than can be shown) and `end` (`{ reason }`). A reader that is too slow is cut off.',
    tag: 'Calls',
    principals: ['operator', 'api_key'],
    params: projectParams,
    success: { status: 200, mediaTypes: ['text/event-stream'], description: 'Events' },
    errors: ['project_not_found'],
    async handler({ principal, params }) {
      const projectId = params.projectId.toLowerCase();
      await access.requireProjectAccess(principal, projectId, 'read');
      tails.assertRoom(projectId);
      const isAllowed = async () => (await access.projectsOf(principal)).includes(projectId);
      return {
        // nginx holds nothing back.
        headers: { 'X-Accel-Buffering': 'no' },
        stream: (response, signal) => tails.follow(projectId, response, signal, isAllowed),
      };
    },
  });
  return [follow];
}
