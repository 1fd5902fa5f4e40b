import type { Provider } from '../../catalog/schema/provider.schema.ts';
import { formatEtag } from '../../http/conditional.ts';
import { type Endpoint, endpoint } from '../../http/endpoint.ts';
import { HttpError } from '../../http/errors.ts';
import { type Principal, principalId } from '../../http/principal.ts';
import type { Integration } from '../../integrations/integration.ts';
import { missingPollScopes } from '../../integrations/missing-poll-scopes.ts';
import { assertRoom } from '../../projects/room.store.ts';
import { pollDryRun } from '../dry-run/dry-run.schema.ts';
import { dryRunPoll } from '../dry-run/dry-run.ts';
import { CONNECTIONS_AT_ONCE, type PollsDependencies } from './poll-access.ts';
import { chooseResource } from './poll-rules.ts';
import { toPollWire } from './poll-wire.ts';
import { createPollBody, createPollQuery, pollSchema } from './polls.schema.ts';

const POLLS_PER_PROJECT_MAX = 200;
/** A described resource with its templates. */
const BODY_BYTES_MAX = 64 * 1024;
const EXAMPLE_ID = '0198b3a4-5d1e-7c02-9f00-1a2b3c4d5e6f';

/** Makes a poll, or tries one out. */
export function createCreatePollEndpoint(deps: PollsDependencies): Endpoint {
  const { db, access, polls, progressStore } = deps;

  async function findIntegration(
    principal: Principal,
    id: string,
  ): Promise<{ integration: Integration; provider: Provider }> {
    const integration = await access.find(principal, 'write', 'integration_not_found', (projectIds) =>
      deps.integrations.find(db, id, projectIds),
    );
    const { projectId, serviceProvider, grant } = integration;
    const provider = await deps.providers.find(projectId, serviceProvider, grant);
    if (provider === undefined) throw deps.providers.refusalOf(projectId, serviceProvider);
    return { integration, provider };
  }

  return endpoint({
    operationId: 'createPoll',
    method: 'post',
    path: '/polls',
    summary: 'Poll a provider',
    description:
      'Asks the provider for changed records, for every connection of the integration, and delivers what is new as events. With `dryRun=true` nothing is stored: the reply shows the requests for one connection, and the first records.',
    tag: 'Polls',
    principals: ['operator', 'api_key'],
    leastRole: 'admin',
    keyScope: 'polls',
    query: createPollQuery,
    body: createPollBody,
    bodyBytesMax: BODY_BYTES_MAX,
    requestExample: { integrationId: EXAMPLE_ID, resource: 'contacts', intervalSeconds: 300 },
    success: { status: 201, schema: pollSchema, description: 'The poll' },
    otherSuccess: { status: 200, schema: pollDryRun, description: 'A dry run: what was asked and answered' },
    errors: [
      'integration_not_found',
      'connection_not_found',
      'poll_exists',
      'project_frozen',
      'gateway_restored',
      'limit_reached',
      'provider_unknown',
      'rate_limited',
    ],
    async handler({ principal, query, body, commitReply }) {
      const { integration, provider } = await findIntegration(principal, body.integrationId);
      const { resource, toInsert } = chooseResource(provider, integration, body);
      if (query.dryRun === 'true') {
        deps.assertNotHeld(integration.projectId);
        const chosen = await deps.chooseConnection(integration, query.connectionId);
        if (chosen === undefined) throw new HttpError('connection_not_found');
        const { id: connectionId, accountId } = chosen;
        const { projectId } = integration;
        const { fields, parameters, backfill, deletes } = toInsert;
        const options = { fields, parameters, backfill, deletes, scanIntervalMs: 0 };
        const otherBody = await deps.runCheck(projectId, async (signal) => {
          const connection = await deps.openConnection({ connectionId, projectId });
          const given = { connectionId, accountId, connection, resource, options };
          return dryRunPoll(given, { nowMs: deps.now(), signal, openCaller: deps.openCaller });
        });
        return { otherBody };
      }
      return commitReply(db, async (trx) => {
        const room = { table: 'polls', most: POLLS_PER_PROJECT_MAX, noun: 'polls' } as const;
        await assertRoom(trx, integration.projectId, room);
        const made = await polls.insert(trx, { ...toInsert, createdBy: principalId(principal) });
        if (made === undefined) throw new HttpError('poll_exists');
        await deps.addJobs(trx, await progressStore.join(trx, { pollId: made.id }, CONNECTIONS_AT_ONCE));
        await deps.recordActivity(trx, {
          actor: principal,
          action: 'poll.created',
          projectId: made.projectId,
          subjectId: made.id,
          details: { integrationId: made.integrationId, objectType: made.objectType },
        });
        const counts = await polls.counts(trx, [made]);
        return {
          body: {
            ...toPollWire(made, counts.get(made.id)),
            missingScopes: missingPollScopes(provider, integration, made.resource),
          },
          etag: formatEtag(made.version),
          headers: { Location: `${deps.publicUrl}/v1/polls/${made.id}` },
        };
      });
    },
  });
}
