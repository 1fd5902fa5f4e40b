import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { startEmbeddedPostgres } from '#embedded-postgres/start.ts';
import { createDatabase } from '../src/platform/postgres/database.ts';
import { migrate } from '../src/platform/postgres/migrations.ts';
import { detectChange } from '../src/polls/records/detect-changes.ts';
import { hashRecords } from '../src/polls/records/fingerprint.ts';
import { createFingerprintsStore } from '../src/polls/records/fingerprints.store.ts';
import { longestTurnMs } from '../test/support/event-loop.ts';

/**
 * A million fingerprints, and then a scan that finds 1 % of the records changed and 0.1 % gone: what the store and this
 * process spend on it, without the provider's time. In an embedded Postgres of its own.
 */
const RECORDS = Number(process.argv[2] ?? 1_000_000);
const PAGE = 500;
const log = { debug: ignore, info: ignore, warn: ignore, error: ignore, fatal: ignore };
const dataDir = await mkdtemp(join(tmpdir(), 'polls-scale-'));
// As root the embedded Postgres runs under another user, who has to get through.
await chmod(dataDir, 0o755);
const server = await startEmbeddedPostgres({ dataDir, log });
const { url } = server;
await migrate({ url, directory: resolve(import.meta.dirname, '../migrations') });
const database = createDatabase({ url, applicationName: 'polls-scale', poolMax: 2 });
const db = database.knex;
const store = createFingerprintsStore();
const SET = '1';
const T0 = Date.UTC(2026, 0, 1);

function pageFrom(start: number, isScan: boolean) {
  const records = [];
  for (let index = start; index < Math.min(RECORDS, start + PAGE); index += 1) {
    if (isScan && index % 1000 === 7) continue;
    const isChanged = isScan && index % 100 === 3;
    const updatedAt = T0 + index + (isChanged ? 86_400_000_000 : 0);
    const value = {
      id: String(index).padStart(9, '0'),
      properties: {
        email: `p${index}@example.test`,
        firstname: 'Ada',
        lastname: `Number ${index}`,
        changed: isChanged,
      },
      updatedAt,
    };
    records.push({ id: value.id, updatedAt, createdAt: T0, isDeleted: false, value });
  }
  return records;
}

async function readAll(isScan: boolean): Promise<number> {
  let changes = 0;
  for (let start = 0; start < RECORDS; start += PAGE) {
    const records = await hashRecords(pageFrom(start, isScan), []);
    await db.transaction(async (trx) => {
      const known = await store.read(
        trx,
        SET,
        records.map(({ id }) => id),
      );
      const judged = records.map((record) => ({
        record,
        verdict: detectChange(record, known.get(record.id), {
          phase: isScan ? 'scan' : 'backfill',
          floor: null,
          isTimeEnough: true,
        }),
      }));
      const writes = judged.flatMap(({ record, verdict: { write, change } }) =>
        write
          ? [{ objectId: record.id, ...write, reportedAt: change === null ? null : record.updatedAt }]
          : [],
      );
      changes += judged.filter(({ verdict }) => verdict.change !== null).length;
      const unchanged = judged.filter(({ verdict }) => verdict.write === undefined);
      if (isScan)
        await store.touch(
          trx,
          SET,
          unchanged.map(({ record }) => record.id),
        );
      await store.write(trx, SET, writes);
    });
  }
  return changes;
}

async function sweepAll(sinceMs: number): Promise<number> {
  let gone = 0;
  let after: string | null = '';
  while (after !== null) {
    const from: string = after;
    const swept = await db.transaction((trx) =>
      store.sweep(trx, SET, { sinceMs, after: from, limit: 1_000 }),
    );
    gone += swept.gone.length;
    after = swept.last;
  }
  return gone;
}

async function measure(name: string, work: () => Promise<number>): Promise<void> {
  const startedAt = performance.now();
  const cpu = process.cpuUsage();
  let count = 0;
  const longestMs = await longestTurnMs(async () => {
    count = await work();
  });
  const { user, system } = process.cpuUsage(cpu);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  const { rss } = process.memoryUsage();
  const peakMiB = process.resourceUsage().maxRSS / 1024;
  console.info(
    `${name}: ${count} in ${seconds} s, CPU ${((user + system) / 1e6).toFixed(1)} s, longest turn ${longestMs.toFixed(0)} ms of CPU, ${(rss / 2 ** 20).toFixed(0)} MiB (at most ${peakMiB.toFixed(0)}), stored in ${await sizeOfStore()}`,
  );
}

/** Of the fingerprints: table and index. */
async function sizeOfStore(): Promise<string> {
  const { rows } = await db.raw(
    `SELECT pg_size_pretty(pg_table_size('poll_records')) AS rows, pg_size_pretty(pg_indexes_size('poll_records')) AS index`,
  );
  return `${rows[0].rows} and ${rows[0].index} of index`;
}

await measure('backfill', () => readAll(false));
const { rows } = await db.raw('SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS ms');
await measure('scan, changed', () => readAll(true));
await measure('count of what is missing', async () => {
  const { missing } = await store.countMissing(db, SET, Number(rows[0].ms));
  return missing;
});
await measure('sweep, gone', () => sweepAll(Number(rows[0].ms)));
await database.close();
await server.stop();
await rm(dataDir, { recursive: true, force: true });

function ignore(): void {}
