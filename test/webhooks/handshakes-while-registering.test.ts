import { createHmac, randomBytes } from 'node:crypto';
import pg from 'pg';
import { connectionSettings } from '../../src/platform/postgres/connection.ts';
import { callApiOk } from '../support/gateway.ts';
import { until } from '../support/until.ts';
import { type HttpFake, startHttpFake } from './http-fake.ts';
import {
  connect,
  integrate,
  post,
  type ReceiverStage,
  startReceiverStage,
  type TestIntegration,
} from './receiver-stage.ts';

let api: HttpFake;
let stage: ReceiverStage;
/** What the provider's handshakes brought, newest last, and how they were answered. */
const brought: { readonly secret: string; readonly status: number }[] = [];

beforeAll(async () => {
  api = await startHttpFake();
  stage = await startReceiverStage({}, api.url);
});

beforeEach(() => {
  brought.length = 0;
  api.answerBy('POST', '/tasks/hooks', ({ body }) => shakeAndAnswer(JSON.parse(body).target));
});

afterAll(async () => {
  await stage?.close();
  await api?.close();
});

/** Asana's way: it registers only what answers its handshake. */
async function shakeAndAnswer(target: string) {
  const secret = randomBytes(16).toString('hex');
  const { status, headers } = await shake(target, secret);
  brought.push({ secret, status });
  const isProven = status === 200 && headers.get('x-hook-secret') === secret;
  return isProven ? { status: 201, body: { id: `of-${secret}` } } : { status: 400, body: {} };
}

const shake = (url: string, secret: string) => post(url, '{}', { 'X-Hook-Secret': secret });
const outsider = () => randomBytes(16).toString('hex');

function deliver(url: string, secret: string) {
  const body = JSON.stringify({ event: 'task.created', id: '1' });
  const signature = createHmac('sha256', secret).update(body).digest('hex');
  return post(url, body, { 'X-Hook-Signature': signature }).then(({ status }) => status);
}

type Subscription = { readonly id: string; readonly webhookUrl: string };

function subscribe({ id }: TestIntegration, connectionId: string, resource: string): Promise<Subscription> {
  const body = { connectionId, parameters: { resource } };
  const path = `/v1/integrations/${id}/subscriptions`;
  return callApiOk(stage.gateway.url, 'POST', path, { bearer: stage.project.apiKey, body });
}

async function settled({ id }: TestIntegration, subscriptionId: string): Promise<string> {
  let state = '';
  await until(async () => {
    const path = `/v1/integrations/${id}/subscriptions`;
    const { subscriptions } = await callApiOk(stage.gateway.url, 'GET', path, {
      bearer: stage.project.apiKey,
    });
    state = subscriptions.find((one: { id: string }) => one.id === subscriptionId)?.state;
    return state !== 'pending';
  });
  return state;
}

/** The gateway tries a registration again after a minute, which no test waits for. */
async function tryAgainNow(): Promise<void> {
  const database = new pg.Client(connectionSettings(stage.gateway.databaseUrl ?? ''));
  await database.connect();
  await database.query(`UPDATE job_queue.job SET start_after = now() WHERE name = 'webhook-subscriptions'`);
  await database.end();
}

const last = () => brought.at(-1)?.secret ?? '';

describe('a handshake that brings a secret to the address of a subscription', () => {
  it('is taken while the gateway registers it, and from nobody before or after', async () => {
    const tasks = await integrate(stage, 'tasks');
    const connection = await connect(stage, tasks.id, 'ada', '1');
    const planted = outsider();
    const early: number[] = [];
    api.answerBy('POST', '/tasks/hooks', async ({ body }) => {
      const { target } = JSON.parse(body);
      const answer = await shakeAndAnswer(target);
      early.push((await shake(target, planted)).status);
      return answer;
    });

    const made = await subscribe(tasks, connection.id, 'one');

    expect(await settled(tasks, made.id)).toBe('active');
    expect(brought.map(({ status }) => status)).toEqual([200]);
    expect([...early, (await shake(made.webhookUrl, planted)).status]).toEqual([401, 401]);
    expect(await deliver(made.webhookUrl, last())).toBe(200);
    expect(await deliver(made.webhookUrl, planted)).toBe(401);
  });

  it('is refused from an outsider before the gateway registers, also where no secret is known', async () => {
    const tasks = await integrate(stage, 'tasks');
    const connection = await connect(stage, tasks.id, 'ada', '1');
    api.answerNext(400, {}, '/tasks/hooks');
    const made = await subscribe(tasks, connection.id, 'one');
    expect(await settled(tasks, made.id)).toBe('failing');
    const planted = outsider();

    expect((await shake(made.webhookUrl, planted)).status).toBe(401);

    await subscribe(tasks, connection.id, 'two');
    expect(await settled(tasks, made.id)).toBe('active');
    expect(await deliver(made.webhookUrl, last())).toBe(200);
    expect(await deliver(made.webhookUrl, planted)).toBe(401);
  });

  it('is taken where the integration has a secret, which then counts at its own address only', async () => {
    const entered = outsider();
    const tasks = await integrate(stage, 'tasks', entered);
    const connection = await connect(stage, tasks.id, 'ada', '1');

    const made = await subscribe(tasks, connection.id, 'one');

    expect(await settled(tasks, made.id)).toBe('active');
    expect((await shake(made.webhookUrl, outsider())).status).toBe(401);
    expect(await deliver(made.webhookUrl, last())).toBe(200);
    expect(await deliver(made.webhookUrl, entered)).toBe(401);
    expect(await deliver(tasks.webhookUrl, entered)).toBe(200);
  });

  it('is taken when other wishes replace a registration, whose secret counts until it is removed', async () => {
    const tasks = await integrate(stage, 'tasks');
    const connection = await connect(stage, tasks.id, 'ada', '1');
    const made = await subscribe(tasks, connection.id, 'one');
    expect(await settled(tasks, made.id)).toBe('active');
    const first = last();
    const meanwhile: number[] = [];
    const removal = `/tasks/hooks/of-${first}`;
    api.answerBy('DELETE', removal, async () => {
      meanwhile.push(await deliver(made.webhookUrl, first), await deliver(made.webhookUrl, last()));
      return { status: 200, body: {} };
    });

    const again = await subscribe(tasks, connection.id, 'two');

    expect(again.webhookUrl).toBe(made.webhookUrl);
    await until(() => api.requests('DELETE', removal).length === 1);
    expect(await settled(tasks, made.id)).toBe('active');
    await until(async () => (await deliver(made.webhookUrl, first)) === 401);
    expect(meanwhile).toEqual([200, 200]);
    expect(await deliver(made.webhookUrl, last())).toBe(200);
    expect((await shake(made.webhookUrl, outsider())).status).toBe(401);
  });

  it('is taken when the gateway tries other wishes again that the provider could not take at first', async () => {
    const tasks = await integrate(stage, 'tasks');
    const connection = await connect(stage, tasks.id, 'ada', '1');
    const made = await subscribe(tasks, connection.id, 'one');
    expect(await settled(tasks, made.id)).toBe('active');
    const first = last();
    api.answerNext(503, {}, '/tasks/hooks');
    await subscribe(tasks, connection.id, 'two');
    expect(await settled(tasks, made.id)).toBe('failing');
    expect(await deliver(made.webhookUrl, first)).toBe(200);

    await tryAgainNow();

    await until(() => api.requests('DELETE', `/tasks/hooks/of-${first}`).length === 1);
    expect(await settled(tasks, made.id)).toBe('active');
    const asked = api.requests('POST', '/tasks/hooks').map(({ body }) => JSON.parse(body));
    const resources = asked
      .filter(({ target }) => target === made.webhookUrl)
      .map(({ resource }) => resource);
    expect(resources).toEqual(['one', 'two', 'two']);
    expect(await deliver(made.webhookUrl, last())).toBe(200);
  });

  it('counts no more where the provider then refuses the registration', async () => {
    const tasks = await integrate(stage, 'tasks');
    const connection = await connect(stage, tasks.id, 'ada', '1');
    api.answerBy('POST', '/tasks/hooks', async ({ body }) => {
      await shakeAndAnswer(JSON.parse(body).target);
      return { status: 403, body: {} };
    });

    const made = await subscribe(tasks, connection.id, 'one');

    expect(await settled(tasks, made.id)).toBe('failing');
    expect(brought.map(({ status }) => status)).toEqual([200]);
    expect(await deliver(made.webhookUrl, last())).toBe(401);
    expect((await shake(made.webhookUrl, outsider())).status).toBe(401);
  });
});
