import { startBalancer } from '../support/balancer.ts';
import type { Gateway } from '../support/gateway.ts';
import { createEncryptionKey } from '../support/gateway-environment.ts';
import { callProvider, provisionConnected, startHeldStage } from '../support/held-stage.ts';
import { findFreePort } from '../support/ports.ts';
import { createTestDatabase } from '../support/postgres.ts';
import { until } from '../support/until.ts';

const stage = await startHeldStage();
afterAll(stage.close);

/** Long enough for the balancer to look on a busy machine. */
const PROBE_MS = 150;
const DELAY_MS = 2_000;
const CALLERS = 6;

describe('a rolling restart behind a balancer that looks at /readyz', () => {
  it('loses no call', async () => {
    const database = await createTestDatabase();
    const ports = [await findFreePort(), await findFreePort()];
    const env = { ENCRYPTION_KEYS: createEncryptionKey(), SHUTDOWN_DELAY_MS: String(DELAY_MS) };
    const start = (port: number | undefined) =>
      stage.start({ databaseUrl: database.url, env, ...(port !== undefined && { port }) });
    const gateways: Gateway[] = [await start(ports[0]), await start(ports[1])];
    const project = await provisionConnected(gateways[0] as Gateway);
    const balancer = await startBalancer(ports, PROBE_MS);
    const stopping = new AbortController();
    const answers = new Map<string, number>();
    const callers = Array.from({ length: CALLERS }, async () => {
      while (!stopping.signal.aborted) {
        const response = await callProvider(balancer, project, '/');
        const text = await response.text();
        const answer = response.ok ? 'ok' : `${response.status} ${text}`;
        answers.set(answer, (answers.get(answer) ?? 0) + 1);
      }
    });
    for (const [index, gateway] of gateways.entries()) {
      await gateway.stop();
      gateways[index] = await start(ports[index]);
      // The other one must stay until the balancer has seen this one again.
      await until(() => balancer.isReady(gateway.port));
    }
    stopping.abort();
    await Promise.all(callers);
    expect([...answers.keys()]).toEqual(['ok']);
    expect(answers.get('ok')).toBeGreaterThan(100);
    await balancer.close();
    for (const gateway of gateways) await gateway.stop();
    await database.drop();
  });
});
