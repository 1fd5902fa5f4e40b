import type { z } from 'zod';
import { newId } from '../../lib/ids.ts';
import type { Db } from '../../platform/postgres/database.ts';
import { buildMessage } from '../sending/message.ts';
import type { Sender } from '../sending/sender.ts';
import { timeOfId } from '../stream/event.ts';
import type { Destination } from './destination.ts';
import type { testResultSchema } from './destinations.schema.ts';
import type { DestinationsStore } from './destinations.store.ts';

const TEST_TYPE = 'gateway.test';
/** Tests under way in one process: each may hold a request for 15 s. */
const TESTS_MAX = 50;
const TESTS_PER_PROJECT_MAX = 5;

/**
 * Undefined where another test of the destination is under way, or too many of its project or of all. Throws
 * `project_frozen` and `gateway_restored`.
 */
export type SendTest = (
  destination: Destination,
  signal: AbortSignal,
) => Promise<z.input<typeof testResultSchema> | undefined>;

/** Sends a test event straight to a destination and tells what came back. */
export function createSendTest(deps: {
  db: Db;
  destinations: Pick<DestinationsStore, 'openOutlet'>;
  sender: Sender;
  /** Throws `project_frozen` and `gateway_restored`. */
  assertNotHeld?(projectId: string): void;
  publicUrl: string;
}): SendTest {
  /** Projects by destination. */
  const underWay = new Map<string, string>();

  async function send(destination: Destination, signal: AbortSignal) {
    const id = newId();
    const event = {
      id,
      type: TEST_TYPE,
      createdAt: new Date(timeOfId(id)),
      projectId: destination.projectId,
      integrationId: null,
      connectionId: null,
      integrationUserId: null,
      userId: null,
      source: 'gateway',
    } as const;
    const dataText = JSON.stringify({ destinationId: destination.id });
    const outlet = await deps.destinations.openOutlet(deps.db, destination);
    const message = buildMessage(event, dataText, destination.format, deps.publicUrl);
    const sent =
      outlet && (await deps.sender.send(outlet.target, { ...message, secrets: outlet.secrets }, signal));
    return {
      eventId: id,
      delivered: sent !== undefined && sent.error === undefined,
      status: sent?.status ?? null,
      durationMs: sent?.durationMs ?? 0,
      error: sent?.error ?? null,
      code: sent?.code ?? null,
      answer: sent?.answer ?? null,
    };
  }

  return async (destination, signal) => {
    const { id, projectId } = destination;
    deps.assertNotHeld?.(projectId);
    const ofProject = [...underWay.values()].filter((one) => one === projectId).length;
    const isBusy = ofProject >= TESTS_PER_PROJECT_MAX || underWay.size >= TESTS_MAX;
    if (isBusy || underWay.has(id)) return undefined;
    underWay.set(id, projectId);
    try {
      return await send(destination, signal);
    } finally {
      underWay.delete(id);
    }
  };
}
