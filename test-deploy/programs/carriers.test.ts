import type { Carrier } from '../../src/platform/bus/carrier.ts';
import { createNatsCarrier } from '../../src/platform/bus/nats-carrier.ts';
import { createValkeyCarrier } from '../../src/platform/bus/valkey-carrier.ts';
import { type LedgerEntry, settleEntry } from '../../src/platform/limits/ledger.ts';
import { createValkeyLedger } from '../../src/platform/limits/valkey-ledger.ts';
import { connectValkey } from '../../src/platform/valkey.ts';
import { until } from '../../test/support/until.ts';
import { type OwnServer, startNats, startValkey } from '../servers.ts';

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

async function start(startServer: () => Promise<OwnServer | undefined>): Promise<OwnServer> {
  const server = await startServer();
  if (server === undefined) throw new Error('the server is not installed');
  cleanUps.push(server.kill);
  return server;
}

/** A process's end of the line, with what it heard. */
function listen(carrier: Carrier) {
  const heard = { texts: [] as string[], downs: 0 };
  cleanUps.push(carrier.stop);
  carrier.listen({
    onMessage: (text) => heard.texts.push(text),
    onDown: () => {
      heard.downs += 1;
    },
  });
  return heard;
}

describe.each([
  ['Valkey', startValkey, createValkeyCarrier],
  ['NATS', startNats, createNatsCarrier],
])('messages by %s', (_name, startServer, createCarrier) => {
  const createEnd = ({ url }: OwnServer, channel = 'notices') => {
    const carrier = createCarrier({ url, channel });
    return { carrier, heard: listen(carrier) };
  };

  /** Until both ends hear what is said: before, messages are lost. */
  async function untilHeard(from: Carrier, ...ends: { texts: string[] }[]): Promise<void> {
    await until(async () => {
      await from.publish('are you there').catch(() => undefined);
      return ends.every(({ texts }) => texts.length > 0);
    });
    for (const { texts } of ends) texts.length = 0;
  }

  it('reach every process in the order of their sender, and no other channel', async () => {
    const server = await start(startServer);
    const [one, two] = [createEnd(server), createEnd(server)];
    const other = createEnd(server, 'others');
    await untilHeard(one.carrier, one.heard, two.heard);
    const sent = Array.from({ length: 200 }, (_none, index) => `message ${index} ü`);
    for (const text of sent) await one.carrier.publish(text);
    const received = (texts: readonly string[]) => texts.filter((text) => text.startsWith('message'));
    await until(() => [one, two].every(({ heard }) => received(heard.texts).length === sent.length));
    expect([received(one.heard.texts), received(two.heard.texts)]).toEqual([sent, sent]);
    expect(other.heard.texts).toEqual([]);
  });

  it('say when the server goes, fail meanwhile, and go on by themselves when it is back', async () => {
    const server = await start(startServer);
    const end = createEnd(server);
    await untilHeard(end.carrier, end.heard);
    const { downs } = end.heard;
    await server.kill();
    await until(() => end.heard.downs > downs);
    await expect(end.carrier.publish('lost')).rejects.toThrow();
    await server.start();
    await untilHeard(end.carrier, end.heard);
  });
});

describe('the ledger in Valkey', () => {
  it('settles as the rule in the code does', async () => {
    const server = await start(startValkey);
    const valkey = connectValkey(server.url);
    cleanUps.push(() => valkey.disconnect());
    await until(async () => (await valkey.ping().catch(() => '')) === 'PONG');
    const ledger = createValkeyLedger(valkey, 'limits:');
    const steps: Omit<LedgerEntry, 'key'>[] = [
      { intervalMs: 60_000, roomMs: 600_000, want: 4, settle: 0 },
      { intervalMs: 60_000, roomMs: 600_000, want: 1, settle: 3 },
      { intervalMs: 60_000, roomMs: 600_000, want: 9, settle: -2 },
      { intervalMs: 60_000, roomMs: 600_000, want: 1, settle: 0 },
    ];
    let usedMs = 0;
    for (const step of steps) {
      const expected = settleEntry(usedMs, step);
      const [standing] = await ledger.exchange([{ ...step, key: 'k' }]);
      expect(standing?.granted).toBe(expected.granted);
      // It flows off as time goes by, by less than a call.
      expect(standing?.usedMs).toBeGreaterThan(expected.usedMs - 30_000);
      expect(standing?.usedMs).toBeLessThanOrEqual(expected.usedMs + 1);
      usedMs = expected.usedMs;
    }
  });

  it('never sets aside more than there is, whoever asks at once, and outlives the loss of its script', async () => {
    const server = await start(startValkey);
    const connections = [connectValkey(server.url), connectValkey(server.url)];
    for (const one of connections) {
      cleanUps.push(() => one.disconnect());
      await until(async () => (await one.ping().catch(() => '')) === 'PONG');
    }
    const ledgers = connections.map((one) => createValkeyLedger(one, 'limits:'));
    const entry = { key: 'k', intervalMs: 600_000, roomMs: 600_000 * 25, want: 3, settle: 0 };
    const ask = () => Promise.all([...ledgers, ...ledgers].map((ledger) => ledger.exchange([entry])));
    const granted = (await ask()).flat();
    await connections[0]?.script('FLUSH');
    for (let round = 0; round < 3; round += 1) granted.push(...(await ask()).flat());
    expect(granted.reduce((sum, standing) => sum + standing.granted, 0)).toBe(25);
  });
});
