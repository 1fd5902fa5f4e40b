import { createJobQueue } from '../../src/platform/job-queue.ts';
import { createDatabase } from '../../src/platform/postgres/database.ts';
import { createParties } from '../../src/platform/postgres/parties.ts';

/** A process that takes a job and never ends it; tells its parent of the key. */
const [, , url = '', name = ''] = process.argv;
const { knex } = createDatabase({ url, applicationName: 'job queue child', poolMax: 3 });
const queue = createJobQueue({
  db: knex,
  log: { warn: () => undefined },
  channel: 'unheard',
  processKey: 0,
  parties: createParties(),
});
queue.work(name, { concurrency: 1 }, (key) => {
  process.send?.(key);
  return new Promise(() => undefined);
});
await queue.start();
