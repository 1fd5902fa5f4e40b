import { setTimeout as delay } from 'node:timers/promises';

const PAUSE_MS = 10;

/** Asks again, with pauses, until the answer is yes; the test's own time-out is the limit. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await delay(PAUSE_MS);
}
