import { readdir, readFile, readlink } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { connectionSettings } from '../../src/platform/postgres/connection.ts';
import type { Series } from './slopes.ts';

const MIB = 1024 * 1024;

/** What must not grow, and the least growth over the whole time that counts as one. */
export const SERIES = {
  rss: { name: 'resident memory', unit: 'MiB', grain: 6 },
  heapWithoutCode: { name: 'heap after collection, without compiled code', unit: 'MiB', grain: 2 },
  compiled: { name: 'compiled code', unit: 'MiB', grain: 3 },
  external: { name: 'memory outside of the heap', unit: 'MiB', grain: 2 },
  timers: { name: 'timers', unit: '', grain: 2 },
  loopP99Ms: { name: 'event loop delay, p99', unit: 'ms', grain: 5 },
  descriptors: { name: 'descriptors', unit: '', grain: 2 },
  sockets: { name: 'sockets', unit: '', grain: 2 },
  storeConnections: { name: 'connections to Postgres', unit: '', grain: 1 },
  jobs: { name: 'jobs', unit: 'rows', grain: 2 },
  leases: { name: 'leases of refreshes', unit: 'rows', grain: 1 },
  grants: { name: 'grants to revoke', unit: 'rows', grain: 2 },
  sessions: { name: 'open connect sessions', unit: 'rows', grain: 2 },
  outbox: { name: 'events that are not in the stream yet', unit: 'rows', grain: 2 },
  receipts: { name: 'webhooks that are not processed yet', unit: 'rows', grain: 2 },
  deliveries: { name: 'deliveries that wait', unit: 'rows', grain: 3 },
} satisfies Record<string, Series>;

export type SeriesId = keyof typeof SERIES;
export const SERIES_IDS = Object.keys(SERIES).filter((id): id is SeriesId => id in SERIES);
export type Sample = Readonly<Record<SeriesId, number>>;

type Inside = Readonly<
  Record<'rss' | 'heapWithoutCode' | 'compiled' | 'external' | 'timers' | 'loopP99Ms', number>
>;

const ROWS = `SELECT
  (SELECT count(*)::int FROM pg_stat_activity
    WHERE datname = current_database() AND application_name <> 'soak') AS "storeConnections",
  (SELECT count(*)::int FROM job_queue.job WHERE state <> 'completed') AS jobs,
  (SELECT count(*)::int FROM connections WHERE refresh_lease_until IS NOT NULL) AS leases,
  (SELECT count(*)::int FROM grants_to_revoke) AS grants,
  (SELECT count(*)::int FROM connect_sessions
    WHERE expires_at > now() AND state NOT IN ('completed', 'failed')) AS sessions,
  (SELECT count(*)::int FROM event_outbox) AS outbox,
  (SELECT count(*)::int FROM webhook_receipts WHERE split_at IS NULL) AS receipts,
  (SELECT count(*)::int FROM deliveries WHERE next_attempt_at IS NOT NULL) AS deliveries`;

/** Measures a gateway from outside, and inside by its probe. */
export async function openSampler(input: { pid: number; databaseUrl: string; probeFile: string }) {
  const { pid, probeFile } = input;
  const client = new pg.Client({ ...connectionSettings(input.databaseUrl), application_name: 'soak' });
  await client.connect();
  let probed = 0;

  async function probe(): Promise<Inside> {
    process.kill(pid, 'SIGUSR2');
    for (;;) {
      await pause(20);
      const lines = (await readFile(probeFile, 'utf8').catch(() => '')).trimEnd().split('\n').filter(Boolean);
      const line = lines[probed];
      if (line === undefined) continue;
      probed += 1;
      const { rss, heapWithoutCode, compiled, external, ...rest }: Inside = JSON.parse(line);
      const inMib = {
        heapWithoutCode: heapWithoutCode / MIB,
        compiled: compiled / MIB,
        external: external / MIB,
      };
      return { ...rest, ...inMib, rss: rss / MIB };
    }
  }

  async function countDescriptors(): Promise<{ descriptors: number; sockets: number }> {
    const folder = `/proc/${pid}/fd`;
    const names = await readdir(folder);
    const targets = await Promise.all(names.map((name) => readlink(`${folder}/${name}`).catch(() => '')));
    return {
      descriptors: names.length,
      sockets: targets.filter((target) => target.startsWith('socket:')).length,
    };
  }

  return {
    async take(): Promise<Sample> {
      const { rows } = await client.query(ROWS);
      return { ...(await probe()), ...(await countDescriptors()), ...rows[0] };
    },
    close: () => client.end(),
  };
}
