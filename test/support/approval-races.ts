import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { connectionSettings } from '../../src/platform/postgres/connection.ts';
import {
  addLedger,
  agentToken,
  callLedger,
  connectUser,
  hashBody,
  type RecordingProvider,
  startRecordingProvider,
} from './approval-stage.ts';
import { callApi, type Project, provision } from './gateway.ts';
import { createEncryptionKey } from './gateway-environment.ts';
import { createTestDatabase } from './postgres.ts';
import { type SpawnedGateway, spawnGateway } from './spawn-gateway.ts';

const GATEWAYS = 3;
/** Beyond what a gateway takes to start again beside eight busy loops. */
const RETRY_MS_MAX = 120_000;
const RETRY_MS = 200;
const AT_ONCE = 16;
/** How many calls may wait for one user is limited. */
const RACES_OF_USER = 8;
const REPEATS_MAX = 6;
/** A party of a race acts within this time. */
const SPREAD_MS = 60;
/** Questions that no party of a race decides about run out every so many races: how many may wait is limited. */
const SWEEP_EVERY = 100;

export type RacesResult = {
  readonly races: number;
  readonly kills: number;
  /** Races by the state in which the approval ended, and how many of these reached the provider. */
  readonly ends: Readonly<Record<string, { races: number; sent: number }>>;
  /** What must not be; empty where all is well. */
  readonly faults: readonly string[];
};

type Race = {
  readonly index: number;
  readonly body: string;
  id: string;
  wasApproved: boolean;
  answers: number;
};

/**
 * Lets approvals be approved, refused, used and run out at the same time, on gateways that share a store and are killed now
 * and then; and compares what reached the provider with what was approved.
 */
export async function runRaces(count: number, killEvery: number): Promise<RacesResult> {
  const provider = await startRecordingProvider();
  const database = await createTestDatabase();
  const client = new pg.Pool({ ...connectionSettings(database.url), max: 4 });
  // The drop of the database may end a connection that has asked for its own end.
  client.on('error', () => undefined);
  const fleet = await startFleet(provider, database.url);
  try {
    const project = await provision(fleet.any());
    const integrationId = await addLedger(fleet.any(), project);
    const races: Race[] = [];
    let next = 0;
    const work = async () => {
      for (let index = next++; index < count; index = next++) {
        const race: Race = {
          index,
          body: `{"race":${index},"sum":${index * 7}}`,
          id: '',
          wasApproved: false,
          answers: 0,
        };
        races.push(race);
        const user = `user-${Math.floor(index / RACES_OF_USER)}`;
        await fleet.user(user, () => connectUser(fleet.any(), project, integrationId, user));
        await runRace({ fleet, project, client, token: agentToken(project, user) }, race);
        if (index % SWEEP_EVERY === 0) await sweep(client);
        if (killEvery > 0 && index % killEvery === killEvery - 1) await fleet.killOne();
      }
    };
    const ends = await Promise.allSettled(Array.from({ length: AT_ONCE }, work));
    // Only now, since what is taken down under the others would fail them first, with what is none of their faults.
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
    return await judge(races, provider, client, fleet.kills());
  } finally {
    await fleet.stop();
    await client.end();
    await database.drop();
    await provider.close();
  }
}

async function sweep(client: pg.Pool): Promise<void> {
  await client.query(
    "UPDATE approvals SET expires_at = now() WHERE ended_at IS NULL AND created_at < now() - interval '1 minute'",
  );
}

type Fleet = Awaited<ReturnType<typeof startFleet>>;

async function startFleet(provider: RecordingProvider, databaseUrl: string) {
  const env = {
    ENCRYPTION_KEYS: createEncryptionKey(),
    RATE_LIMIT_MANAGEMENT_PER_MINUTE: '0',
    RATE_LIMIT_PROXY_PER_MINUTE: '0',
  };
  const start = (port?: number) =>
    spawnGateway({ catalogDir: provider.catalogDir, databaseUrl, env, ...(port && { port }) });
  const gateways: SpawnedGateway[] = [];
  // One after the other: the first one makes the schema.
  for (let index = 0; index < GATEWAYS; index += 1) gateways.push(await start());
  const users = new Map<string, Promise<void>>();
  let kills = 0;
  let killing: Promise<void> = Promise.resolve();
  const pick = () => Math.floor(Math.random() * GATEWAYS);
  const any = (): SpawnedGateway => {
    const gateway = gateways[pick()];
    if (gateway === undefined) throw new Error('no gateway');
    return gateway;
  };
  return {
    any,
    kills: () => kills,
    /** Once for each user, again where a gateway was killed over it. */
    async user(name: string, connect: () => Promise<void>): Promise<void> {
      const known = users.get(name) ?? retry(connect);
      users.set(name, known);
      await known;
    },
    async killOne(): Promise<void> {
      killing = killing.then(async () => {
        const index = pick();
        const victim = gateways[index];
        if (victim === undefined) return;
        kills += 1;
        await victim.kill();
        gateways[index] = await start(victim.port);
      });
      await killing;
    },
    async stop(): Promise<void> {
      await killing;
      await Promise.all(gateways.map((gateway) => gateway.stop()));
    },
  };
}

async function retry(work: () => Promise<void>): Promise<void> {
  const deadlineMs = Date.now() + RETRY_MS_MAX;
  for (;;) {
    try {
      await work();
      return;
    } catch (error) {
      if (Date.now() > deadlineMs) throw error;
      await delay(RETRY_MS);
    }
  }
}

type Arena = {
  readonly fleet: Fleet;
  readonly project: Project;
  readonly client: pg.Pool;
  readonly token: string;
};

async function runRace(arena: Arena, race: Race): Promise<void> {
  const { fleet, project, client, token } = arena;
  const call = (approval: string | undefined, body = race.body) =>
    // A gateway that is killed answers nothing.
    callLedger(fleet.any(), project, token, { body, approval }).catch(() => undefined);
  let last = '';
  const deadlineMs = Date.now() + RETRY_MS_MAX;
  while (race.id === '' && Date.now() < deadlineMs) {
    const answer = await call(undefined);
    race.id = answer?.approvalId ?? '';
    last = answer?.text ?? 'none';
    if (race.id === '') await delay(RETRY_MS);
  }
  if (race.id === '') throw new Error(`no gateway takes the question of race ${race.index}: ${last}`);
  const decide = async (verb: string) => {
    await delay(Math.random() * SPREAD_MS);
    // Whatever is answered: one that was killed may have done it.
    if (verb === 'approve') race.wasApproved = true;
    const path = `/v1/approvals/${race.id}/${verb}`;
    await callApi(fleet.any().url, 'POST', path, { bearer: project.apiKey }).catch(() => undefined);
  };
  const expire = async () => {
    await delay(Math.random() * SPREAD_MS);
    await client.query('UPDATE approvals SET expires_at = now() WHERE id = $1 AND ended_at IS NULL', [
      race.id,
    ]);
  };
  const repeat = async () => {
    await delay(Math.random() * 2 * SPREAD_MS);
    const answer = await call(race.id);
    if (answer?.status === 200) race.answers += 1;
  };
  const forge = async () => {
    await delay(Math.random() * 2 * SPREAD_MS);
    await call(race.id, `${race.body} `);
  };
  const repeats = Array.from({ length: 2 + Math.floor(Math.random() * (REPEATS_MAX - 1)) }, repeat);
  const chance = Math.random();
  await Promise.all([
    ...repeats,
    ...(chance < 0.8 ? [decide('approve')] : []),
    ...(chance > 0.55 ? [decide('reject')] : []),
    ...(chance > 0.4 && chance < 0.65 ? [expire()] : []),
    ...(chance < 0.1 ? [decide('approve'), forge()] : []),
  ]);
  // What was approved late is sent now.
  await repeat();
}

async function judge(
  races: readonly Race[],
  provider: RecordingProvider,
  client: pg.Pool,
  kills: number,
): Promise<RacesResult> {
  const { rows } = await client.query<{ id: string; state: string }>(
    `SELECT id, CASE WHEN ended_at IS NULL AND expires_at <= now() THEN 'expired' ELSE state END AS state FROM approvals`,
  );
  const states = new Map(rows.map(({ id, state }) => [id, state]));
  const sent = Map.groupBy(provider.received, ({ body }) => hashBody(body));
  const faults: string[] = [];
  const ends: Record<string, { races: number; sent: number }> = {};
  for (const race of races) {
    const state = states.get(race.id) ?? 'none';
    const came = sent.get(hashBody(race.body))?.length ?? 0;
    sent.delete(hashBody(race.body));
    ends[state] ??= { races: 0, sent: 0 };
    const end = ends[state];
    end.races += 1;
    end.sent += came;
    const note = (fault: string) => faults.push(`race ${race.index}, ${state}: ${fault}`);
    if (came > 1) note(`reached the provider ${came} times`);
    if (came > 0 && state !== 'used') note('was sent and is not used');
    if (came > 0 && !race.wasApproved) note('was sent and never approved');
    if (race.answers > came) note('was answered and never sent');
  }
  for (const strange of sent.values()) faults.push(`never asked for: ${strange[0]?.body.toString()}`);
  return { races: races.length, kills, ends, faults };
}
