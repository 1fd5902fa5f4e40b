import { callerGone } from '../../http/caller-gone.ts';
import { type Endpoint, endpoint } from '../../http/endpoint.ts';
import { HttpError } from '../../http/errors.ts';
import type { Db } from '../../platform/postgres/database.ts';
import type { Servable } from './destination.ts';
import type { DestinationContext } from './destination-context.ts';
import { PREVIOUS_SECRET_HOURS } from './destination-secrets.store.ts';
import {
  destinationParams,
  destinationSchema,
  rotatedSecretSchema,
  testResultSchema,
  toDestinationWire,
} from './destinations.schema.ts';
import { readQueues } from './queue-depth.store.ts';
import type { SendTest } from './send-test.ts';

const HOUR_MS = 3_600_000;
const TAG = 'Events';
const SHARED = {
  method: 'post',
  tag: TAG,
  principals: ['operator', 'api_key'],
  leastRole: 'admin',
  keyScope: 'events:manage',
  params: destinationParams,
} as const;

/** What can be done with a destination besides changing it. */
export function createDestinationActionsEndpoints(
  deps: DestinationContext & {
    sendTest: SendTest;
    now(): number;
    /** Makes due what waits for the destination, and begins to serve it. */
    resume(trx: Db, destination: Servable): Promise<void>;
  },
): Endpoint[] {
  const { db, destinations, now } = deps;

  const test = endpoint({
    ...SHARED,
    operationId: 'testEventDestination',
    path: '/event-destinations/{id}/test',
    summary: 'Send a test event',
    description:
      'Sends an event of the type `gateway.test` at once, also to a disabled destination, and answers what came back. It is not in the feed, and changes no state.',
    changesNothing: true,
    success: { status: 200, schema: testResultSchema, description: 'What came back' },
    errors: ['destination_not_found', 'destination_test_busy', 'project_frozen', 'gateway_restored'],
    async handler({ principal, params, request }) {
      const destination = await deps.find(principal, params.id, 'write');
      const result = await deps.sendTest(destination, callerGone(request.res));
      if (result === undefined) throw new HttpError('destination_test_busy');
      return { body: result };
    },
  });

  const rotate = endpoint({
    ...SHARED,
    operationId: 'rotateEventDestinationSecret',
    path: '/event-destinations/{id}/rotate-secret',
    summary: 'Rotate the signing secret',
    description: 'For 24 hours deliveries carry a signature of the new secret and one of the secret before.',
    success: { status: 200, schema: rotatedSecretSchema, description: 'The new secret, shown this once' },
    errors: ['destination_not_found'],
    async handler({ principal, params, commitReply }) {
      const found = await deps.find(principal, params.id, 'write');
      return commitReply(db, async (trx) => {
        const secret = await destinations.rotateSecret(trx, found);
        if (secret === undefined) throw new HttpError('destination_not_found');
        await deps.record(trx, found, {
          actor: principal,
          action: 'event_destination.secret_rotated',
          details: {},
        });
        const previousUntil = new Date(now() + PREVIOUS_SECRET_HOURS * HOUR_MS).toISOString();
        return { body: { secret, previousUntil } };
      });
    },
  });

  const enable = endpoint({
    ...SHARED,
    operationId: 'enableEventDestination',
    path: '/event-destinations/{id}/enable',
    summary: 'Enable an event destination',
    description:
      'It goes on where it was: what waits is sent now, then the events that came meanwhile, as far as they are kept.',
    success: { status: 200, schema: destinationSchema, description: 'The destination' },
    errors: ['destination_not_found'],
    async handler({ principal, params, commitReply }) {
      const found = await deps.find(principal, params.id, 'write');
      return commitReply(db, async (trx) => {
        const enabled = await destinations.enable(trx, found.id);
        if (enabled === undefined) throw new HttpError('destination_not_found');
        await deps.resume(trx, enabled);
        if (found.disabledReason !== null) {
          await deps.record(trx, found, {
            actor: principal,
            action: 'event_destination.enabled',
            details: { reason: found.disabledReason },
          });
        }
        return { body: toDestinationWire(enabled, (await readQueues(trx, [enabled])).get(enabled.id)) };
      });
    },
  });

  const disable = endpoint({
    ...SHARED,
    operationId: 'disableEventDestination',
    path: '/event-destinations/{id}/disable',
    summary: 'Disable an event destination',
    description: 'Nothing is sent until it is enabled; its events wait.',
    success: { status: 200, schema: destinationSchema, description: 'The destination' },
    errors: ['destination_not_found'],
    async handler({ principal, params, commitReply }) {
      const found = await deps.find(principal, params.id, 'write');
      return commitReply(db, async (trx) => {
        const disabled = await destinations.disable(trx, found.id, 'operator');
        if (disabled !== undefined) {
          await deps.record(trx, found, {
            actor: principal,
            action: 'event_destination.disabled',
            details: { reason: 'operator' },
          });
        }
        const shown = disabled ?? found;
        return { body: toDestinationWire(shown, (await readQueues(trx, [shown])).get(shown.id)) };
      });
    },
  });

  return [test, rotate, enable, disable];
}
