/**
 * How fast webhooks are acknowledged: batches of a hundred events at a steady pace, whether answers come or not, to one
 * integration whose account has a connection. Prints percentiles of the acknowledgement, and memory and backlog.
 * `node bench/webhook-acknowledgement.ts [batches a second] [seconds]`
 */
import { readFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { createDataDir } from '../test/support/gateway-environment.ts';
import {
  buildBatch,
  connect,
  describeProvider,
  integrate,
  listReceipts,
  spawnReceiverStage,
} from '../test/webhooks/receiver-stage.ts';
import { signWebhook } from '../test/webhooks/sign-webhook.ts';

const [rate = 200, seconds = 20] = process.argv.slice(2).map(Number);
const data = await createDataDir();
const stage = await spawnReceiverStage({ dataDir: data.path });
const hub = await integrate(stage, 'hub');
await connect(stage, hub.id, 'ada', '1');
const agent = new Agent({ keepAlive: true, maxSockets: 400 });
const description = describeProvider('hub');
const durations: number[] = [];
const statuses = new Map<number, number>();

function prepare() {
  const body = Buffer.from(
    JSON.stringify(buildBatch(100, 1, { propertyName: 'email', propertyValue: 'a@b.test' })),
  );
  const signed = signWebhook(
    description,
    { method: 'POST', url: hub.webhookUrl, query: '', headers: new Map(), body },
    hub.clientSecret,
    Date.now(),
  );
  return {
    body,
    headers: Object.fromEntries([...signed.headers].map(([name, values]) => [name, values.join()])),
  };
}

function send(dueMs: number): Promise<void> {
  const { body, headers } = prepare();
  return new Promise((resolve) => {
    const sent = request(
      hub.webhookUrl,
      { agent, method: 'POST', headers: { ...headers, 'content-length': body.length } },
      (answer) => {
        answer.resume().once('end', () => {
          durations.push(performance.now() - dueMs);
          statuses.set(answer.statusCode ?? 0, (statuses.get(answer.statusCode ?? 0) ?? 0) + 1);
          resolve();
        });
      },
    );
    sent.once('error', () => {
      statuses.set(0, (statuses.get(0) ?? 0) + 1);
      resolve();
    });
    sent.end(body);
  });
}

async function residentMiB(): Promise<number> {
  const text = await readFile(`/proc/${stage.gateway.pid}/status`, 'utf8');
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(text)?.[1]) / 1024);
}

const beganMs = performance.now();
const answers: Promise<void>[] = [];
let sentCount = 0;
while (performance.now() - beganMs < seconds * 1000) {
  const due = beganMs + (sentCount * 1000) / rate;
  const waitMs = due - performance.now();
  if (waitMs > 0) await delay(waitMs);
  // From the time that it was due: a gateway that falls behind cannot hide it.
  answers.push(send(Math.max(due, performance.now())));
  sentCount += 1;
  if (sentCount % (rate * 5) === 0) console.log(`${sentCount} sent, ${await residentMiB()} MiB`);
}
await Promise.all(answers);
durations.sort((a, b) => a - b);
const at = (share: number) =>
  Math.round(durations[Math.min(durations.length - 1, Math.floor(durations.length * share))] ?? 0);
console.log(
  `sent ${(sentCount / ((performance.now() - beganMs) / 1000)).toFixed(0)}/s, statuses ${JSON.stringify([...statuses])}`,
);
console.log(
  `acknowledged in ms: p50 ${at(0.5)}, p95 ${at(0.95)}, p99 ${at(0.99)}, max ${at(1)}; ${await residentMiB()} MiB`,
);
const splitFromMs = performance.now();
for (;;) {
  const [newest] = await listReceipts(stage, 'limit=1');
  if (newest.splitAt !== null) break;
  await delay(200);
}
console.log(
  `split ${((performance.now() - splitFromMs) / 1000).toFixed(1)} s after the last acknowledgement`,
);
console.log(
  stage.gateway
    .logs()
    .split('\n')
    .filter((line) => line.includes('"level":"warn"'))
    .slice(0, 3)
    .join('\n'),
);
await stage.close();
await data.remove();
