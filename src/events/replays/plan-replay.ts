import type { z } from 'zod';
import { HttpError } from '../../http/errors.ts';
import type { Db } from '../../platform/postgres/database.ts';
import type { Destination } from '../destinations/destination.ts';
import { findPosition } from '../stream/events.store.ts';
import type { replayBody } from './replays.schema.ts';
import { countReplays, findPositionBefore, type Replay } from './replays.store.ts';

/** Replays of one destination at the same time. */
const REPLAYS_MAX = 5;
/** Of one project, so that those of others need not wait for long. */
const REPLAYS_PER_PROJECT_MAX = 10;

/**
 * Finds out which part of the feed a replay is about. It ends at the destination's cursor: later events come anyway.
 * Throws `invalid_request`, `events_expired` or `replay_limit`.
 */
export function createPlanReplay({ db, keepMs, now }: { db: Db; keepMs: number; now(): number }) {
  async function startOf(destination: Destination, { after, from }: z.output<typeof replayBody>) {
    if (from !== undefined) {
      const position = await findPositionBefore(db, destination.projectId, new Date(from));
      return position ?? destination.position;
    }
    if (after === undefined) throw refuse('body', 'one of `after` and `from` is required');
    const found = await findPosition(db, destination.projectId, after.toLowerCase(), now() - keepMs);
    if (found === 'expired') throw new HttpError('events_expired');
    if (found === undefined) throw refuse('body.after', 'no event of this project');
    return found;
  }

  return async (destination: Destination, body: z.output<typeof replayBody>): Promise<Omit<Replay, 'id'>> => {
    const { after, from, to, states } = body;
    if (after !== undefined && from !== undefined) throw refuse('body', 'either `after` or `from`');
    if (to !== undefined && from === undefined) throw refuse('body.to', 'only beside `from`');
    if (from !== undefined && to !== undefined && new Date(to) < new Date(from)) {
      throw refuse('body.to', 'not before `from`');
    }
    const { ofDestination, ofProject } = await countReplays(db, destination);
    if (ofDestination >= REPLAYS_MAX || ofProject >= REPLAYS_PER_PROJECT_MAX) {
      throw new HttpError('replay_limit');
    }
    const position = await startOf(destination, body);
    return {
      destinationId: destination.id,
      position,
      toPosition: Math.max(position, destination.position),
      from: from === undefined ? null : new Date(from),
      to: to === undefined ? null : new Date(to),
      states: states ?? null,
    };
  };
}

function refuse(path: string, message: string): HttpError {
  return new HttpError('invalid_request', { errors: [{ path, message }] });
}
