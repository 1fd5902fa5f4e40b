import type { Change } from '../../src/activity/actions.ts';
import type { Destination } from '../../src/events/destinations/destination.ts';
import { createDisableDestination } from '../../src/events/destinations/disable-destination.ts';
import type { Db } from '../../src/platform/postgres/database.ts';
import { UNUSED_STORE } from '../support/unused-store.ts';

const PROJECT = 'project-1';
const AT = new Date(Date.UTC(2026, 0, 31));
const DISABLED: Destination = {
  id: 'destination-1',
  projectId: PROJECT,
  version: 2,
  url: 'https://app.example/events',
  kafka: null,
  types: [],
  connectionIds: null,
  tags: {},
  description: null,
  ordered: 'none',
  format: 'cloudevents',
  disabledReason: 'gone',
  disabledAt: AT,
  position: 0,
  lane: 'deliver',
  failures: 0,
  failingSince: null,
  holdUntil: null,
  lastSuccessAt: null,
  lastFailureAt: null,
  lastFailure: null,
  createdAt: AT,
  updatedAt: AT,
};

/** Disables the destination, of which the store says `disabled`; gives what was recorded and logged. */
async function disable(disabled: Destination | undefined) {
  const recorded: { trx: Db; change: unknown }[] = [];
  const logged: object[] = [];
  const disableDestination = createDisableDestination({
    destinations: { disable: async () => disabled },
    recordActivity: async (trx, change: Change | readonly Change[]) => void recorded.push({ trx, change }),
    log: { warn: (fields) => logged.push(fields) },
  });
  await disableDestination(UNUSED_STORE, { id: 'destination-1', projectId: PROJECT }, 'gone');
  return { recorded, logged };
}

describe('a destination that takes no events', () => {
  it('is disabled by the gateway, with its reason in the audit log of the same transaction', async () => {
    const { recorded, logged } = await disable(DISABLED);
    const change = {
      actor: { kind: 'gateway' },
      action: 'event_destination.disabled',
      projectId: PROJECT,
      subjectId: 'destination-1',
      details: { reason: 'gone' },
    };
    expect(recorded).toEqual([{ trx: UNUSED_STORE, change }]);
    expect(logged).toEqual([{ projectId: PROJECT, destinationId: 'destination-1', reason: 'gone' }]);
  });

  it('is not recorded again where it has been disabled already', async () => {
    expect(await disable(undefined)).toEqual({ recorded: [], logged: [] });
  });
});
