import { longestTurnMs } from '../support/event-loop.ts';
import { doJob } from '../support/quiet-time.ts';

/** Three times the 50 ms that are allowed, on a quiet machine. */
const JOBS = 24;

it('a turn that holds the event loop for too long is found, whatever else the machine does', async () => {
  const held = await longestTurnMs(async () => {
    for (let job = 0; job < JOBS; job += 1) doJob();
  });
  expect(held).toBeGreaterThan(50);
});

it('work that lets go of the event loop in between is none', async () => {
  const held = await longestTurnMs(async () => {
    for (let job = 0; job < JOBS; job += 1) {
      doJob();
      await new Promise((done) => setTimeout(done, 2));
    }
  });
  expect(held).toBeLessThan(50);
});
