import { setTimeout as pause } from 'node:timers/promises';

const LOOK_EVERY_MS = 10;
const LIMIT_MS = 180_000;

/** Resolves when the condition holds, looking again and again; rejects after three minutes. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const deadlineMs = Date.now() + LIMIT_MS;
  while (!(await isSo())) {
    if (Date.now() > deadlineMs) throw new Error(`still not so after three minutes: ${isSo}`);
    await pause(LOOK_EVERY_MS);
  }
}
