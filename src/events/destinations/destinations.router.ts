import { assertIfMatch, formatEtag } from '../../http/conditional.ts';
import { type Endpoint, endpoint } from '../../http/endpoint.ts';
import { HttpError } from '../../http/errors.ts';
import type { Principal } from '../../http/principal.ts';
import { readPage } from '../../lib/cursor.ts';
import { assertMayAudit } from '../reading/audit-types.ts';
import { formatPlace, type KafkaPlace } from '../sending/kafka-place.ts';
import type { Destination } from './destination.ts';
import type { DestinationContext } from './destination-context.ts';
import type { KafkaBody } from './destination-kafka.schema.ts';
import { listKafkaFaults, toPlace } from './destination-kafka.ts';
import { faultOfUrl } from './destination-url.ts';
import {
  createDestinationBody,
  destinationList,
  destinationParams,
  destinationSchema,
  destinationsQuery,
  newDestinationSchema,
  toDestinationWire,
  updateDestinationBody,
} from './destinations.schema.ts';
import { readQueues } from './queue-depth.store.ts';

const PER_PROJECT_MAX = 50;
const TAG = 'Events';

/** The destinations of the management API. */
export function createDestinationsEndpoints(deps: DestinationContext): Endpoint[] {
  return [
    listDestinations(deps),
    createDestination(deps),
    getDestination(deps),
    updateDestination(deps),
    removeDestination(deps),
  ];
}

function listDestinations({ db, access, destinations }: DestinationContext): Endpoint {
  return endpoint({
    operationId: 'listEventDestinations',
    method: 'get',
    path: '/event-destinations',
    summary: 'List event destinations',
    description: 'The newest first; a project has 50 at most.',
    tag: TAG,
    principals: ['operator', 'api_key'],
    leastRole: 'anyone',
    keyScope: 'events:read',
    query: destinationsQuery,
    success: { status: 200, schema: destinationList, description: 'Destinations' },
    async handler({ principal, query }) {
      const { projectId } = query;
      const visible = await access.projectsOf(principal);
      const projectIds =
        projectId === undefined ? visible : visible.filter((id) => id === projectId.toLowerCase());
      const { items, nextCursor } = await readPage(query, (window) =>
        destinations.list(db, projectIds, { ...window, tags: query.tag }),
      );
      const queues = await readQueues(db, items);
      const eventDestinations = items.map((one) => toDestinationWire(one, queues.get(one.id)));
      return { body: { eventDestinations, nextCursor } };
    },
  });
}

function createDestination(deps: DestinationContext): Endpoint {
  const { db, access, destinations, publicUrl } = deps;
  return endpoint({
    operationId: 'createEventDestination',
    method: 'post',
    path: '/event-destinations',
    summary: 'Create an event destination',
    description:
      'It receives what happens from now on; `replay` sends what happened before. Deliveries are signed as Standard Webhooks says. An event comes at least once, always under the same `webhook-id`.',
    tag: TAG,
    principals: ['operator', 'api_key'],
    leastRole: 'admin',
    keyScope: 'events:manage',
    body: createDestinationBody,
    requestExample: { url: 'https://app.example.com/events', types: ['hubspot.contact.*', 'connection.*'] },
    success: {
      status: 201,
      schema: newDestinationSchema,
      description: 'The destination with its secret, shown this once',
    },
    errors: [
      'project_not_found',
      'destination_url_invalid',
      'destination_kafka_invalid',
      'destination_limit',
    ],
    async handler({ principal, body, commitReply }) {
      const projectId = await access.projectToChange(principal, body.projectId);
      assertMayAudit(principal, body.types);
      const place = placeOf(body, deps);
      return commitReply(db, async (trx) => {
        const others = await destinations.countOfProject(trx, projectId);
        if (others >= PER_PROJECT_MAX) throw new HttpError('destination_limit');
        const createdBy = actorId(principal);
        const { destination, secret } = await destinations.insert(trx, {
          ...body,
          ...place,
          projectId,
          createdBy,
        });
        await deps.record(trx, destination, {
          actor: principal,
          action: 'event_destination.created',
          details: { host: new URL(destination.url).host },
        });
        return {
          body: { ...toDestinationWire(destination), secret },
          etag: formatEtag(destination.version),
          headers: { Location: `${publicUrl}/v1/event-destinations/${destination.id}` },
        };
      });
    },
  });
}

function getDestination({ db, find }: DestinationContext): Endpoint {
  return endpoint({
    operationId: 'getEventDestination',
    method: 'get',
    path: '/event-destinations/{id}',
    summary: 'Read an event destination',
    description: 'With its state and what waits for it.',
    tag: TAG,
    principals: ['operator', 'api_key'],
    leastRole: 'viewer',
    keyScope: 'events:read',
    params: destinationParams,
    success: { status: 200, schema: destinationSchema, description: 'The destination' },
    errors: ['destination_not_found'],
    async handler({ principal, params }) {
      const found = await find(principal, params.id, 'read');
      const queues = await readQueues(db, [found]);
      return { body: toDestinationWire(found, queues.get(found.id)), etag: formatEtag(found.version) };
    },
  });
}

function updateDestination(deps: DestinationContext): Endpoint {
  const { db, destinations } = deps;
  return endpoint({
    operationId: 'updateEventDestination',
    method: 'patch',
    path: '/event-destinations/{id}',
    summary: 'Change an event destination',
    description:
      'Counts for what is sent from now on, within ten seconds. Deliveries that wait already stay, whatever `types` says.',
    tag: TAG,
    principals: ['operator', 'api_key'],
    leastRole: 'admin',
    keyScope: 'events:manage',
    params: destinationParams,
    body: updateDestinationBody,
    requestExample: { types: ['*'] },
    success: { status: 200, schema: destinationSchema, description: 'The destination as changed' },
    errors: [
      'destination_not_found',
      'destination_url_invalid',
      'destination_kafka_invalid',
      'precondition_failed',
    ],
    async handler({ principal, params, body, request }) {
      const current = await deps.find(principal, params.id, 'write');
      // A key that changes the address of one has its events as well.
      assertMayAudit(principal, [...current.types, ...(body.types ?? [])]);
      assertIfMatch(request, formatEtag(current.version));
      const place = changePlace(body, current, deps);
      const fields = Object.keys(body);
      const changed =
        fields.length === 0
          ? current
          : await db.transaction(async (trx) => {
              const row = await destinations.update(trx, current, { ...body, ...place });
              if (row === undefined) throw new HttpError('precondition_failed');
              const details = { fields };
              await deps.record(trx, row, { actor: principal, action: 'event_destination.updated', details });
              return row;
            });
      const queues = await readQueues(db, [changed]);
      return { body: toDestinationWire(changed, queues.get(changed.id)), etag: formatEtag(changed.version) };
    },
  });
}

function removeDestination({ db, destinations, find, record }: DestinationContext): Endpoint {
  return endpoint({
    operationId: 'deleteEventDestination',
    method: 'delete',
    path: '/event-destinations/{id}',
    summary: 'Delete an event destination',
    description: 'With its deliveries, those that wait too. The events stay in the feed.',
    tag: TAG,
    principals: ['operator', 'api_key'],
    leastRole: 'admin',
    keyScope: 'events:manage',
    params: destinationParams,
    success: { status: 204, description: 'Deleted' },
    errors: ['destination_not_found', 'precondition_failed'],
    async handler({ principal, params, request }) {
      const current = await find(principal, params.id, 'write');
      assertIfMatch(request, formatEtag(current.version));
      await db.transaction(async (trx) => {
        if (!(await destinations.remove(trx, current))) throw new HttpError('precondition_failed');
        const details = { host: new URL(current.url).host };
        await record(trx, current, { actor: principal, action: 'event_destination.deleted', details });
      });
      return {};
    },
  });
}

function assertUrl(url: string, { urlRules }: DestinationContext): void {
  const fault = faultOfUrl(url, urlRules);
  if (fault === undefined) return;
  throw new HttpError('destination_url_invalid', { errors: [{ path: 'body.url', message: fault }] });
}

function placeOf(
  { url, kafka }: { url?: string | undefined; kafka: KafkaBody | null },
  deps: DestinationContext,
) {
  if (kafka !== null) return topicOf(kafka, null, deps);
  assertUrl(url ?? '', deps);
  return { url: url ?? '', kafka: null };
}

/** The kind of a destination stays. */
function changePlace(
  { url, kafka }: { url?: string | undefined; kafka?: KafkaBody | undefined },
  current: Destination,
  deps: DestinationContext,
) {
  if (url !== undefined && current.kafka !== null)
    throw new HttpError('destination_url_invalid', {
      errors: [{ path: 'body.url', message: 'the destination is of the kind kafka' }],
    });
  if (url !== undefined) assertUrl(url, deps);
  if (kafka === undefined) return { kafka: undefined };
  if (current.kafka === null)
    throw new HttpError('destination_kafka_invalid', {
      errors: [{ path: 'body.kafka', message: 'the destination is of the kind http' }],
    });
  return topicOf(kafka, current.kafka, deps);
}

function topicOf(given: KafkaBody, current: KafkaPlace | null, { urlRules }: DestinationContext) {
  const errors = listKafkaFaults(given, current, urlRules);
  if (errors.length > 0) throw new HttpError('destination_kafka_invalid', { errors });
  const kafkaPassword = given.sasl === null ? null : given.sasl.password;
  return { url: formatPlace(given), kafka: toPlace(given), kafkaPassword };
}

/** The UUID that stands for who created it: the operator, or the API key that stood in for one. */
function actorId(principal: Exclude<Principal, { kind: 'end_user' }>): string {
  return principal.kind === 'operator' ? principal.operatorId : principal.apiKeyId;
}
