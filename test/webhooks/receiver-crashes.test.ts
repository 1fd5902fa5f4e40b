import { setTimeout as delay } from 'node:timers/promises';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { findFreePort } from '../support/ports.ts';
import { createTestDatabase } from '../support/postgres.ts';
import { type SpawnedGateway, spawnGateway } from '../support/spawn-gateway.ts';
import { readRelayTarget, startTcpRelay, type TcpRelay, urlThroughRelay } from '../support/tcp-relay.ts';
import { until } from '../support/until.ts';
import {
  buildBatch,
  connect,
  integrate,
  listReceipts,
  type ReceiverStage,
  readEvents,
  send,
  spawnReceiverStage,
  type TestIntegration,
} from './receiver-stage.ts';

/** In the midst of receiving, storing and processing. Every step by itself stands in crash-points.test.ts. */
const KILLS = 1;
const EVENTS_OF_A_BATCH = 20;

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let relay: TcpRelay;
let stage: ReceiverStage<SpawnedGateway>;
let hub: TestIntegration;
let second: Gateway;

beforeAll(async () => {
  database = await createTestDatabase();
  relay = await startTcpRelay(readRelayTarget(database.url));
  const port = await findFreePort();
  stage = await spawnReceiverStage({ databaseUrl: urlThroughRelay(database.url, relay.port), port });
  hub = await integrate(stage, 'hub');
});

afterAll(async () => {
  await second?.stop();
  await stage?.close();
  await relay?.close();
  await database?.drop();
});

/** Delivers the batch as a provider does: again and again, until it is acknowledged. */
async function deliver(batch: readonly object[]): Promise<number> {
  for (let attemptNumber = 0; ; attemptNumber += 1) {
    const body = JSON.stringify(batch.map((event) => ({ ...event, attemptNumber })));
    const answer = await send('hub', { url: hub.webhookUrl, secret: hub.clientSecret, body }).catch(
      () => undefined,
    );
    if (answer?.status === 200) return attemptNumber;
    if (answer && answer.status < 500) throw new Error(`a fault of ours was answered ${answer.status}`);
    await delay(50);
  }
}

const idsOf = (events: readonly { data: { eventId: number } }[]) => events.map(({ data }) => data.eventId);

describe('webhooks that come while gateways are killed', () => {
  it('become events, each once, whatever step the kill fell into', async () => {
    const { port, env, databaseUrl = '' } = stage.gateway;
    await connect(stage, hub.id, 'ada', '1');
    // Another process on the same store splits what the killed ones leave.
    second = await startGateway({
      catalogDir: stage.catalogDir,
      databaseUrl,
      env: { ENCRYPTION_KEYS: env.ENCRYPTION_KEYS ?? '' },
    });
    const delivered: number[] = [];
    let isOver = false;
    const sending = Array.from({ length: 4 }, async () => {
      while (!isOver) {
        const batch = buildBatch(EVENTS_OF_A_BATCH, 1);
        await deliver(batch);
        delivered.push(...idsOf(batch.map((data) => ({ data })) as { data: { eventId: number } }[]));
      }
    });
    let gateway = stage.gateway;
    for (let kill = 0; kill < KILLS; kill += 1) {
      const before = delivered.length;
      await until(() => delivered.length > before + 5 * EVENTS_OF_A_BATCH);
      await gateway.kill();
      gateway = await spawnGateway({ port, catalogDir: stage.catalogDir, databaseUrl, env });
    }
    isOver = true;
    await Promise.all(sending);
    stage = { ...stage, gateway, close: async () => void (await gateway.stop()) };

    await until(async () => (await readEvents(stage)).length >= delivered.length);
    const seen = idsOf(await readEvents(stage));
    expect(seen.toSorted((a, b) => a - b)).toEqual(delivered.toSorted((a, b) => a - b));
    const waiting = (await listReceipts(stage, 'limit=200')).filter(
      ({ splitAt }: { splitAt: string | null }) => splitAt === null,
    );
    expect(waiting).toEqual([]);
  });
});

describe('webhooks that come while the store is away', () => {
  it('are answered 503 with Retry-After, and kept once the store is back', async () => {
    const connection = await connect(stage, hub.id, 'ada', '2');
    const batch = buildBatch(3, 2);
    await relay.cut();
    const away = await send('hub', {
      url: hub.webhookUrl,
      secret: hub.clientSecret,
      body: JSON.stringify(batch),
    });
    expect([away.status, away.code, away.headers.get('retry-after')]).toEqual([
      503,
      'store_unavailable',
      '1',
    ]);

    await relay.mend();
    await deliver(batch);

    await until(
      async () =>
        (await readEvents(stage)).filter(
          ({ connectionId }: { connectionId: string }) => connectionId === connection.id,
        ).length === 3,
    );
  });
});
