import { createHmac } from 'node:crypto';
import { callApi, callApiOk } from '../support/gateway.ts';
import { until } from '../support/until.ts';
import { type HttpFake, startHttpFake } from './http-fake.ts';
import {
  connect,
  integrate,
  listReceipts,
  post,
  type ReceiverStage,
  readEvents,
  startReceiverStage,
  type TestIntegration,
} from './receiver-stage.ts';

let api: HttpFake;
let stage: ReceiverStage;
let pipes: TestIntegration;

beforeAll(async () => {
  api = await startHttpFake();
  stage = await startReceiverStage({}, api.url);
  pipes = await integrate(stage, 'pipes');
});

afterAll(async () => {
  await stage?.close();
  await api?.close();
});

const subscribe = (integrationId: string, body: object) =>
  callApi(stage.gateway.url, 'POST', `/v1/integrations/${integrationId}/subscriptions`, {
    bearer: stage.project.apiKey,
    body,
  });

const list = async (integrationId: string) => {
  const { subscriptions } = await callApiOk(
    stage.gateway.url,
    'GET',
    `/v1/integrations/${integrationId}/subscriptions`,
    { bearer: stage.project.apiKey },
  );
  return subscriptions;
};

const eventOf = (id: string, company: number) =>
  JSON.stringify({ meta: { entity: 'person', action: 'create', id, company_id: company }, data: { id: 7 } });

describe('a subscription of a connection that the gateway registers', () => {
  it('is registered with a secret of its own, receives events for this connection alone, and is removed with it', async () => {
    const connection = await connect(stage, pipes.id, 'ada', '77');
    const other = await connect(stage, pipes.id, 'grace', '77');

    const made = await subscribe(pipes.id, { connectionId: connection.id });

    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({ connectionId: connection.id, secret: null, steps: [] });
    await until(async () => (await list(pipes.id))[0].state === 'active');
    const [registered] = api.requests('POST', '/v1/webhooks');
    expect(registered?.headers.authorization).toBe('Bearer token');
    const asked = JSON.parse(registered?.body ?? '');
    expect(asked).toMatchObject({ subscription_url: made.body.webhookUrl, event_object: '*' });

    const basic = (password: string) => ({
      authorization: `Basic ${Buffer.from(`${asked.http_auth_user}:${password}`).toString('base64')}`,
    });
    const body = eventOf('e1', 77);
    expect((await post(asked.subscription_url, body, basic(asked.http_auth_password))).status).toBe(200);
    expect((await post(asked.subscription_url, body, basic('guessed'))).status).toBe(401);
    expect((await post(pipes.webhookUrl, body, basic(asked.http_auth_password))).status).toBe(401);
    await until(async () => (await readEvents(stage)).length === 1);
    const [event] = await readEvents(stage);
    expect(event).toMatchObject({ connectionId: connection.id, type: 'pipes.person.created' });
    expect(event.connectionId).not.toBe(other.id);
    const [receipt] = await listReceipts(stage, `connectionId=${connection.id}`);
    const shown = await callApi(stage.gateway.url, 'GET', `/v1/webhook-receipts/${receipt.id}`, {
      bearer: stage.project.apiKey,
    });
    expect(shown.body.headers.authorization).toEqual(['(left out)']);
    expect(shown.text).not.toContain(asked.http_auth_password);

    await callApiOk(stage.gateway.url, 'DELETE', `/v1/connections/${connection.id}`, {
      bearer: stage.project.apiKey,
    });
    expect(api.requests('DELETE', '/v1/webhooks/hook-1')).toHaveLength(1);
    const gone = await post(asked.subscription_url, body, basic(asked.http_auth_password));
    expect(gone.status).toBe(404);
  });

  it('shows why the provider refused it, and is removed on request', async () => {
    const connection = await connect(stage, pipes.id, 'ada', '78');
    api.answerNext(403, { error: 'scope missing' });

    const made = await subscribe(pipes.id, { connectionId: connection.id });

    await until(async () => (await list(pipes.id))[0].state === 'failing');
    const [failing] = await list(pipes.id);
    expect(failing.lastError).toBe('The provider answered 403.');
    const path = `/v1/integrations/${pipes.id}/subscriptions/${made.body.id}`;
    const removed = await callApi(stage.gateway.url, 'DELETE', path, { bearer: stage.project.apiKey });
    expect(removed.status).toBe(204);
    expect(await list(pipes.id)).toEqual([]);
  });

  it('is registered again where its connection changed while it was to be deleted, and stays', async () => {
    const { id } = await connect(stage, pipes.id, 'joan', '80');
    const byKey = { bearer: stage.project.apiKey };
    const made = await subscribe(pipes.id, { connectionId: id });
    const registrations = () =>
      api
        .requests('POST', '/v1/webhooks')
        .filter(({ body }) => JSON.parse(body).subscription_url === made.body.webhookUrl);
    const isActive = async () => (await list(pipes.id)).at(0)?.state === 'active';
    await until(isActive);
    const change = (method: string, body?: object, headers: Record<string, string> = {}) =>
      callApi(stage.gateway.url, method, `/v1/connections/${id}`, {
        ...byKey,
        headers,
        ...(body && { body }),
      });
    const etag = (await change('GET')).headers.get('etag') ?? '';
    api.answerBy('DELETE', '/v1/webhooks/hook-1', async () => {
      await change('PATCH', { customMetadata: { plan: 'pro' } });
      return { status: 200, body: {} };
    });

    const refused = await change('DELETE', undefined, { 'if-match': etag });

    expect([refused.status, refused.body.code]).toEqual([412, 'precondition_failed']);
    expect((await change('GET')).body.customMetadata).toEqual({ plan: 'pro' });
    await until(async () => registrations().length === 2 && (await isActive()));
    expect((await change('DELETE')).status).toBe(204);
    expect((await change('GET')).status).toBe(404);
  });

  it('is renewed before it expires', async () => {
    const watch = await integrate(stage, 'watch');
    const connection = await connect(stage, watch.id, 'ada', '79');

    await subscribe(watch.id, { connectionId: connection.id });

    // The provider's answers say that a registration lives for a second.
    await until(async () => api.requests('PUT', '/watch/w-1').length >= 2);
    const [{ state, lastError }] = await list(watch.id);
    expect({ state, lastError }).toEqual({ state: 'active', lastError: null });
  });
});

describe('a registration that the provider wants to have confirmed', () => {
  it('is confirmed with the secret that the handshake of each brought, and only then active', async () => {
    const books = await integrate(stage, 'books');
    const connection = await connect(stage, books.id, 'ada', 'acc-1');
    const base = { connectionId: connection.id };
    const nameless = await subscribe(books.id, base);
    expect([nameless.status, nameless.body.errors[0].path]).toEqual([400, 'body.events']);
    const { webhookUrl } = (await subscribe(books.id, { ...base, events: ['invoice', 'client'] })).body;
    const path = '/accounts/acc-1/callbacks';
    await until(() => api.requests('POST', path).length === 2);
    expect((await list(books.id))[0].state).toBe('pending');

    const shake = (callback: string, verifier: string) =>
      post(webhookUrl, new URLSearchParams({ name: 'verify', callback, verifier }).toString(), {
        'content-type': 'application/x-www-form-urlencoded',
      });
    expect((await shake('made-1', 'secret-of-one')).status).toBe(200);
    await until(() => api.requests('PUT', `${path}/made-1`).length === 1);
    expect(JSON.parse(api.requests('PUT', `${path}/made-1`)[0]?.body ?? '')).toEqual({
      verifier: 'secret-of-one',
    });
    expect((await list(books.id))[0].state).toBe('pending');
    // The second one is another sender; the provider itself may ask again.
    expect((await shake('made-1', 'secret-of-another')).status).toBe(401);
    expect((await shake('made-1', 'secret-of-one')).status).toBe(200);
    expect((await shake('made-2', 'secret-of-two')).status).toBe(200);
    await until(async () => (await list(books.id))[0].state === 'active');
    expect(api.requests('PUT', `${path}/made-1`)).toHaveLength(1);
    expect(api.requests('PUT', `${path}/made-2`)).toHaveLength(1);

    const body = 'name=invoice.create&object=5&account=acc-1';
    const signed = (secret: string) => ({
      'content-type': 'application/x-www-form-urlencoded',
      'x-books-signature': createHmac('sha256', secret).update(body).digest('base64'),
    });
    const statuses = [];
    for (const secret of ['secret-of-one', 'secret-of-two', 'secret-of-another']) {
      statuses.push((await post(webhookUrl, body, signed(secret))).status);
    }
    expect(statuses).toEqual([200, 200, 401]);
    // A secret for one registration counts at the address of a connection only.
    const planted = await post(books.webhookUrl, 'name=verify&callback=made-9&verifier=planted-secret', {
      'content-type': 'application/x-www-form-urlencoded',
    });
    expect(planted.status).toBe(401);
  });
});

describe('a registration that the application makes for itself', () => {
  it('has a token of the integration’s client, and a new one where that is refused', async () => {
    const stream = await integrate(stage, 'stream');
    const connection = await connect(stage, stream.id, 'ada', 'acc-7');
    const unowned = await subscribe(stream.id, { events: ['online'] });
    expect([unowned.status, unowned.body.errors[0].path]).toEqual([400, 'body.connectionId']);

    api.answerNext(401, { message: 'ended early' }, '/hooks');
    const made = await subscribe(stream.id, { connectionId: connection.id, events: ['online'] });

    await until(async () => (await list(stream.id))[0].state === 'active');
    const [refused, taken] = api.requests('POST', '/hooks');
    expect([refused, taken].map((one) => one?.headers.authorization)).toEqual(
      Array(2).fill('Bearer app-token'),
    );
    expect(taken?.headers['client-id']).toBe('client');
    expect(JSON.parse(taken?.body ?? '')).toMatchObject({ type: 'online', condition: { user: 'acc-7' } });
    const tokens = api.requests('POST', '/token');
    expect(tokens.map(({ body }) => Object.fromEntries(new URLSearchParams(body)))).toMatchObject(
      Array(2).fill({ grant_type: 'client_credentials', scope: 'hooks' }),
    );
    const path = `/v1/integrations/${stream.id}/subscriptions/${made.body.id}`;
    await callApiOk(stage.gateway.url, 'DELETE', path, { bearer: stage.project.apiKey });
    await until(() => api.requests('DELETE', '/hooks?id=made-2').length === 1);
    await until(async () => (await list(stream.id)).length === 0);
  });
});

describe('a subscription that an operator registers by hand', () => {
  it('shows its address whenever it is asked for, and its steps', async () => {
    const manual = await integrate(stage, 'manual');
    const connection = await connect(stage, manual.id, 'ada', '80');

    const first = await subscribe(manual.id, { connectionId: connection.id });
    const again = await subscribe(manual.id, { connectionId: connection.id });

    const steps = [`Enter ${first.body.webhookUrl} under Settings.`];
    expect(first.body).toMatchObject({ state: 'manual', steps });
    expect(again.body.webhookUrl).toBe(first.body.webhookUrl);
    expect(first.body.webhookUrl.startsWith(`${manual.webhookUrl}/`)).toBe(true);
    // Nothing signs these webhooks: only the address with its unguessable part takes them.
    expect((await post(manual.webhookUrl, '{"event":"task.created"}')).status).toBe(404);
    expect((await post(first.body.webhookUrl, '{"event":"task.created","id":"1"}')).status).toBe(200);
    await until(async () =>
      (await readEvents(stage)).some(
        ({ connectionId }: { connectionId: string }) => connectionId === connection.id,
      ),
    );
  });

  it('needs a connection of the integration where addresses are for accounts', async () => {
    const manual = await integrate(stage, 'manual');
    const foreign = await connect(stage, pipes.id, 'ada', '81');
    const missing = await subscribe(manual.id, {});
    const wrong = await subscribe(manual.id, { connectionId: foreign.id });
    expect([missing.status, missing.body.code]).toEqual([400, 'invalid_request']);
    expect([wrong.status, wrong.body.code]).toEqual([404, 'connection_not_found']);
  });
});

describe('a registration', () => {
  it('waits while its project is frozen', async () => {
    const connection = await connect(stage, pipes.id, 'frozen', '78');
    const ofProject = (path: string) =>
      callApiOk(stage.gateway.url, 'POST', `/v1/projects/${stage.project.id}${path}`, {
        bearer: stage.project.apiKey,
      });
    const before = api.requests('POST', '/v1/webhooks').length;
    await ofProject('/freeze');
    const made = await subscribe(pipes.id, { connectionId: connection.id });
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    const state = async () =>
      (await list(pipes.id)).find(({ id }: { id: string }) => id === made.body.id)?.state;
    expect([await state(), api.requests('POST', '/v1/webhooks').length]).toEqual(['pending', before]);
    await ofProject('/unfreeze');
    await until(async () => (await state()) === 'active');
    await callApiOk(stage.gateway.url, 'DELETE', `/v1/connections/${connection.id}`, {
      bearer: stage.project.apiKey,
    });
  });
});
