import { createHash, createHmac } from 'node:crypto';
import { callApi, callApiOk } from '../support/gateway.ts';
import { until } from '../support/until.ts';
import {
  buildBatch,
  connect,
  integrate,
  listReceipts,
  post,
  type ReceiverStage,
  readEvents,
  send,
  startReceiverStage,
  type TestIntegration,
} from './receiver-stage.ts';

let stage: ReceiverStage;
let hub: TestIntegration;

beforeAll(async () => {
  stage = await startReceiverStage();
  hub = await integrate(stage, 'hub');
});

afterAll(() => stage?.close());

const sendHub = (batch: unknown, options: Partial<Parameters<typeof send>[1]> = {}) =>
  send('hub', {
    url: hub.webhookUrl,
    secret: hub.clientSecret,
    body: typeof batch === 'string' || Buffer.isBuffer(batch) ? batch : JSON.stringify(batch),
    ...options,
  });

/** An integration with an entry of the catalog. */
const integrateWith = (serviceProvider: string, webhookSecret?: string): Promise<TestIntegration> =>
  callApiOk(stage.gateway.url, 'POST', '/v1/integrations', {
    bearer: stage.project.apiKey,
    body: { serviceProvider, clientId: 'client', clientSecret: 'secret', scopes: [], webhookSecret },
  });

const eventsOf = async (connectionId: string) =>
  (await readEvents(stage)).filter((event) => event.connectionId === connectionId);

/** The newest receipt of the integration, once it has been processed. */
async function newestReceipt(integrationId = hub.id) {
  let newest: Awaited<ReturnType<typeof listReceipts>>[number];
  await until(async () => {
    [newest] = await listReceipts(stage, `integrationId=${integrationId}&limit=1`);
    return newest !== undefined && newest.splitAt !== null;
  });
  return newest;
}

describe('a signed batch of webhooks', () => {
  it('is answered 2xx and becomes events of its connection, in the order of the batch', async () => {
    const connection = await connect(stage, hub.id, 'ada', '1001');
    const batch = buildBatch(100, 1001);

    const answer = await sendHub(batch);

    expect(answer.status).toBe(200);
    expect(answer.headers.get('gateway-error')).toBeNull();
    await until(async () => (await eventsOf(connection.id)).length === 100);
    const events = await eventsOf(connection.id);
    expect(events.map(({ data }) => data)).toEqual(batch);
    expect(events[0]).toMatchObject({
      type: 'hub.contact.created',
      integrationId: hub.id,
      integrationUserId: connection.integrationUserId,
      userId: 'ada',
      object: {
        type: 'contact',
        id: String(batch[0] && Reflect.get(batch[0], 'objectId')),
        change: 'created',
      },
    });
    expect(await newestReceipt()).toMatchObject({
      state: 'accepted',
      events: { total: 100, matched: 100, unmatched: 0, duplicates: 0 },
    });
  });

  it('brings each event once, however often it is delivered and with whatever attempt number', async () => {
    const connection = await connect(stage, hub.id, 'ada', '1002');
    const batch = buildBatch(10, 1002);
    for (let attemptNumber = 0; attemptNumber < 5; attemptNumber += 1) {
      const { status } = await sendHub(batch.map((event) => ({ ...event, attemptNumber })));
      expect(status).toBe(200);
    }
    const [more] = buildBatch(1, 1002);
    await sendHub([...batch, more]);

    await until(async () => (await eventsOf(connection.id)).length === 11);
    const { state, events } = await newestReceipt();
    expect({ state, events }).toEqual({
      state: 'accepted',
      events: { total: 11, matched: 1, unmatched: 0, duplicates: 10 },
    });
    const [, before] = await listReceipts(stage, `integrationId=${hub.id}&limit=2`);
    expect(before.state).toBe('duplicate');
    expect(await eventsOf(connection.id)).toHaveLength(11);
  });

  it('brings an event for each webhook where the same bytes may report a second change', async () => {
    const connection = await connect(stage, hub.id, 'ada', '1007');
    const notice = { portalId: 1007, subscriptionType: 'contact.propertyChange', objectId: 7 };
    for (let changes = 0; changes < 3; changes += 1) await sendHub([notice, notice]);

    await until(async () => (await eventsOf(connection.id)).length >= 6);
    expect((await newestReceipt()).events).toMatchObject({ total: 2, matched: 2, duplicates: 0 });
    expect((await eventsOf(connection.id)).map(({ data }) => data)).toEqual(Array(6).fill(notice));
  });

  it('goes to every connection of its account, and to no other', async () => {
    const first = await connect(stage, hub.id, 'ada', '1003');
    const second = await connect(stage, hub.id, 'grace', '1003');
    const stranger = await connect(stage, hub.id, 'edsger', '1004');

    await sendHub([...buildBatch(1, 1003), ...buildBatch(1, 1003)]);

    await until(async () => (await eventsOf(second.id)).length === 2);
    expect(await eventsOf(first.id)).toHaveLength(2);
    expect(await eventsOf(stranger.id)).toHaveLength(0);
  });

  it('keeps numbers as the provider wrote them', async () => {
    const connection = await connect(stage, hub.id, 'ada', '1005');
    const [event] = buildBatch(1, 1005);
    const text = `[${JSON.stringify(event).slice(0, -1)},"value":9007199254740993,"small":1.10}]`;

    await sendHub(text);

    await until(async () => (await eventsOf(connection.id)).length === 1);
    const feed = await callApi(stage.gateway.url, 'GET', `/v1/events?connectionId=${connection.id}`, {
      bearer: stage.project.apiKey,
    });
    expect(feed.text).toContain('"value":9007199254740993,"small":1.10');
  });

  it('with an element that is no event still brings the others', async () => {
    const connection = await connect(stage, hub.id, 'ada', '1006');
    const batch = buildBatch(99, 1006);

    const { status } = await sendHub([...batch.slice(0, 50), null, 'nonsense', 7, [], ...batch.slice(50)]);

    expect(status).toBe(200);
    await until(async () => (await eventsOf(connection.id)).length === 99);
    expect((await newestReceipt()).events).toMatchObject({ total: 103, matched: 99 });
  });
});

describe('webhooks of an account that no connection has', () => {
  it('are kept as unmatched, shown with headers and body, and matched when a connection appears', async () => {
    const batch = buildBatch(3, 2001);
    await sendHub(batch);
    const receipt = await newestReceipt();
    expect(receipt).toMatchObject({ state: 'unmatched', events: { total: 3, matched: 0, unmatched: 3 } });
    const detail = await callApiOk(stage.gateway.url, 'GET', `/v1/webhook-receipts/${receipt.id}`, {
      bearer: stage.project.apiKey,
    });
    expect(JSON.parse(detail.body)).toEqual(batch);
    const [signature] = detail.headers['x-hub-signature-v3'];
    expect(signature).toMatch(/^.{10}…$/);
    const page = await callApiOk(
      stage.gateway.url,
      'GET',
      `/v1/webhook-receipts?integrationId=${hub.id}&limit=1`,
      { bearer: stage.project.apiKey },
    );
    expect(page.webhookReceipts).toEqual([detail]);
    expect(page.receipts).toEqual([detail]);

    // The provider delivers it once more, before anybody is there for it.
    await sendHub(batch);
    const connection = await connect(stage, hub.id, 'ada', '2001');

    await until(async () => (await eventsOf(connection.id)).length === 3);
    await until(
      async () => (await listReceipts(stage, `integrationId=${hub.id}&state=unmatched`)).length === 0,
    );
    expect((await eventsOf(connection.id)).map(({ data }) => data)).toEqual(batch);
  });

  it('are found by the filter also where they came with events of a connected account', async () => {
    const connected = await connect(stage, hub.id, 'ada', '2011');
    await sendHub([...buildBatch(1, 2011), ...buildBatch(1, 2012)]);
    await until(async () => (await eventsOf(connected.id)).length === 1);
    const partly = await newestReceipt();
    await sendHub(buildBatch(1, 2012));
    await until(async () => (await newestReceipt()).state === 'unmatched');
    const whole = await newestReceipt();
    const unmatched = `integrationId=${hub.id}&state=unmatched`;
    const ids = async (query: string): Promise<string[]> =>
      (await listReceipts(stage, query)).map(({ id }: { id: string }) => id);

    expect(partly).toMatchObject({ state: 'accepted', events: { total: 2, matched: 1, unmatched: 1 } });
    expect(await ids(unmatched)).toEqual(expect.arrayContaining([whole.id, partly.id]));
    expect((await ids('state=unmatched')).slice(0, 2)).toEqual([whole.id, partly.id]);
    const page = await callApiOk(stage.gateway.url, 'GET', `/v1/webhook-receipts?${unmatched}&limit=1`, {
      bearer: stage.project.apiKey,
    });
    expect(page.receipts.map(({ id }: { id: string }) => id)).toEqual([whole.id]);
    expect((await ids(`${unmatched}&limit=1&cursor=${page.nextCursor}`))[0]).toBe(partly.id);

    await connect(stage, hub.id, 'ada', '2012');
    await until(async () => !(await ids(unmatched)).some((id) => [whole.id, partly.id].includes(id)));
  });

  it.each([
    ['that have ids', 2002, {}],
    ['without id and time', 2004, { eventId: undefined, occurredAt: undefined }],
  ])('%s are matched by a replay, too, which brings nothing twice', async (_name, portalId, extra) => {
    const batch = [...buildBatch(2, portalId, extra), ...buildBatch(2, portalId + 1, extra)];
    const known = await connect(stage, hub.id, 'ada', String(portalId));
    await sendHub(batch);
    const receipt = await newestReceipt();
    expect(receipt.events).toMatchObject({ matched: 2, unmatched: 2 });

    for (let replays = 0; replays < 3; replays += 1) {
      const answer = await callApi(stage.gateway.url, 'POST', `/v1/webhook-receipts/${receipt.id}/replay`, {
        bearer: stage.project.apiKey,
        body: {},
      });
      expect(answer.status).toBe(200);
      await newestReceipt();
    }
    expect(await eventsOf(known.id)).toHaveLength(2);
    expect((await newestReceipt()).events).toMatchObject({ matched: 2, unmatched: 2 });
  });
});

describe('what the provider did not sign', () => {
  const refused = async (answer: Promise<{ status: number; code: string }>) => {
    const { status, code } = await answer;
    return `${status} ${code}`;
  };

  it('is refused with 401, whatever is wrong with the signature', async () => {
    const other = await integrate(stage, 'hub');
    const batch = buildBatch(1, 1001);
    const sixMinutesMs = 6 * 60_000;
    const forged = {
      'signed for another integration': sendHub(batch, { secret: other.clientSecret }),
      'too old': sendHub(batch, { nowMs: Date.now() - sixMinutesMs }),
      'from the future': sendHub(batch, { nowMs: Date.now() + sixMinutesMs }),
      unsigned: post(hub.webhookUrl, JSON.stringify(batch)),
      'signed for another address': send('hub', {
        url: other.webhookUrl,
        secret: hub.clientSecret,
        body: JSON.stringify(batch),
      }).then(() => sendHub(batch, { headers: { 'x-hub-request-timestamp': 'soon' } })),
      'with half a signature': sendHub(batch, { headers: { 'x-hub-signature-v3': 'AAAA' } }),
    };
    for (const [what, answer] of Object.entries(forged)) {
      expect(`${what}: ${await refused(answer)}`).toBe(`${what}: 401 signature_invalid`);
    }
  });

  it('is kept as rejected, the last hundred of an integration, and cannot be replayed', async () => {
    const flooded = await integrate(stage, 'hub');
    const body = JSON.stringify(buildBatch(1, 1001, { padding: 'x'.repeat(20_000) }));
    for (let sent = 0; sent < 130; sent += 1) await post(flooded.webhookUrl, body);

    const rejected = await listReceipts(stage, `integrationId=${flooded.id}&state=rejected&limit=200`);
    expect(rejected).toHaveLength(100);
    expect(rejected[0]).toMatchObject({
      reason: 'signature_missing',
      isBodyCut: true,
      bodyBytes: Buffer.byteLength(body),
    });
    const replay = await callApi(stage.gateway.url, 'POST', `/v1/webhook-receipts/${rejected[0].id}/replay`, {
      bearer: stage.project.apiKey,
      body: {},
    });
    expect(replay.body.code).toBe('webhook_not_replayable');
    const diagnosis = await callApiOk(stage.gateway.url, 'GET', `/v1/integrations/${flooded.id}/diagnosis`, {
      bearer: stage.project.apiKey,
    });
    // Without a signature, they say nothing of the secret.
    const ofWebhooks = diagnosis.findings.filter(({ code }: { code: string }) => code.startsWith('webhook_'));
    expect(ofWebhooks).toMatchObject([{ code: 'webhook_sender_unproven', severity: 'info' }]);
  });

  it.each([
    [
      'the secret of another integration of the project',
      (own: TestIntegration, other: TestIntegration) => ({ url: own.webhookUrl, secret: other.clientSecret }),
      'signature_other_integration',
      'webhook_of_other_integration',
    ],
    [
      'the same address with the other scheme',
      (own: TestIntegration) => ({
        url: own.webhookUrl,
        secret: own.clientSecret,
        signedUrl: own.webhookUrl.replace('http:', 'https:'),
      }),
      'signature_other_scheme',
      'webhook_url_differs',
    ],
  ])('and fits %s stays refused, and operators are told', async (_what, sentBy, reason, code) => {
    const [own, other] = [await integrate(stage, 'hub'), await integrate(stage, 'hub')];
    const sent = await send('hub', { ...sentBy(own, other), body: JSON.stringify(buildBatch(1, 1001)) });
    expect([sent.status, sent.code]).toEqual([401, 'signature_invalid']);
    expect(sent.text).not.toContain(other.id);

    const [receipt] = await listReceipts(stage, `integrationId=${own.id}&state=rejected`);
    const isOthers = reason === 'signature_other_integration';
    expect(receipt).toMatchObject({ reason, signedForIntegrationId: isOthers ? other.id : null });
    const bearer = stage.project.apiKey;
    const path = `/v1/integrations/${own.id}/diagnosis`;
    const { findings } = await callApiOk(stage.gateway.url, 'GET', path, { bearer });
    const finding = findings.find((found: { code: string }) => found.code.startsWith('webhook'));
    expect(finding).toMatchObject({ code, detail: expect.stringMatching(/^One webhook/) });
    expect(finding.remedy).toContain(own.webhookUrl);
  });

  it('and came before a good one explains nothing of what is refused since', async () => {
    const [own, other] = [await integrate(stage, 'hub'), await integrate(stage, 'hub')];
    const body = JSON.stringify(buildBatch(1, 1001));
    const sendWith = (secret: string) => send('hub', { url: own.webhookUrl, secret, body });
    for (const secret of [other.clientSecret, own.clientSecret, 'of a stranger']) await sendWith(secret);
    const { findings } = await callApiOk(stage.gateway.url, 'GET', `/v1/integrations/${own.id}/diagnosis`, {
      bearer: stage.project.apiKey,
    });
    const ofWebhooks = findings.filter(({ code }: { code: string }) => code.startsWith('webhook_'));
    expect(ofWebhooks).toMatchObject([{ code: 'webhook_sender_unproven', parameters: { count: '1' } }]);
  });

  it('counts again once the secret before a rotation is used, and the new one', async () => {
    const rotated = await integrate(stage, 'hub');
    const connection = await connect(stage, rotated.id, 'ada', '3001');
    const newSecret = 'a-new-client-secret-of-the-app';
    await callApiOk(stage.gateway.url, 'PATCH', `/v1/integrations/${rotated.id}`, {
      bearer: stage.project.apiKey,
      body: { clientSecret: newSecret },
    });
    const batches = [buildBatch(1, 3001), buildBatch(1, 3001), buildBatch(1, 3001)];
    const secrets = [rotated.clientSecret, newSecret, 'neither-of-the-two'];
    const statuses = [];
    for (const [index, secret] of secrets.entries()) {
      const body = JSON.stringify(batches[index]);
      const { status } = await send('hub', { url: rotated.webhookUrl, secret, body });
      statuses.push(status);
    }

    expect(statuses).toEqual([200, 200, 401]);
    await until(async () => (await eventsOf(connection.id)).length === 2);
  });
});

describe('another way to sign', () => {
  const change = (id: string, settings: object) =>
    callApi(stage.gateway.url, 'PATCH', `/v1/integrations/${id}`, {
      bearer: stage.project.apiKey,
      body: { settings },
    });

  it('counts where the integration has chosen it, in the place of the usual one', async () => {
    const chosen = await integrate(stage, 'hub');
    const body = JSON.stringify(buildBatch(1, 1001));
    const digest = createHash('sha256').update(`${chosen.clientSecret}${body}`).digest('hex');
    const statuses = async () => [
      (await send('hub', { url: chosen.webhookUrl, secret: chosen.clientSecret, body })).status,
      (await post(chosen.webhookUrl, body, { 'x-hub-signature': digest })).status,
    ];

    expect(await statuses()).toEqual([200, 401]);
    expect(await change(chosen.id, { webhookScheme: 'v1' })).toMatchObject({
      status: 200,
      body: { settings: { webhookScheme: 'v1' } },
    });
    expect(await statuses()).toEqual([401, 200]);
    await change(chosen.id, {});
    expect(await statuses()).toEqual([200, 401]);
  });

  it('is refused where the provider has none of the name', async () => {
    expect(await change(hub.id, { webhookScheme: 'v0' })).toMatchObject({
      status: 400,
      body: { errors: [{ path: 'body.settings.webhookScheme', message: 'one of: v1' }] },
    });
    const chat = await integrate(stage, 'chat', 'signing-secret-of-the-chat');
    expect((await change(chat.id, { webhookScheme: 'v1' })).body.errors[0].message).toBe(
      'Chat has one way only',
    );
  });
});

describe('odd requests', () => {
  it.each([
    ['no JSON', 'hello', 400],
    ['nothing', '', 400],
    ['half a batch', '[{"eventId":1},', 400],
    ['brackets', '['.repeat(100_000), 400],
    ['an empty batch', '[]', 200],
    ['an object that is no batch', '{}', 200],
  ])('signed, with %s, are answered at once', async (_what, body, status) => {
    const answer = await sendHub(body);
    expect(answer.status).toBe(status);
    if (status === 400) expect(answer.code).toBe('webhook_malformed');
  });

  it('of 5 MiB are taken, and refused beyond', async () => {
    const largest = Buffer.alloc(5 * 1024 * 1024, '[');
    expect((await sendHub(largest)).status).toBe(200);
    expect(await newestReceipt()).toMatchObject({ state: 'rejected', bodyBytes: largest.length, body: null });
    expect((await sendHub(Buffer.concat([largest, Buffer.from('[')]))).status).toBe(413);
    const alive = await sendHub(buildBatch(1, 1001));
    expect(alive.status).toBe(200);
  });

  it('may have any content type, but no coding of their bytes', async () => {
    const body = JSON.stringify(buildBatch(1, 1001));
    const typed = (headers: Record<string, string>) =>
      sendHub(body, { headers }).then(({ status }) => status);
    expect(await typed({ 'content-type': 'text/plain' })).toBe(200);
    expect(await typed({ 'content-type': 'application/x-www-form-urlencoded' })).toBe(200);
    expect(await typed({ 'content-encoding': 'gzip' })).toBe(415);
  });

  it.each([
    [
      'an interaction of Slack',
      'slack',
      { payload: JSON.stringify({ type: 'block_actions', trigger_id: 't.1', team: { id: 'T-form' } }) },
      { type: 'slack.block_actions.other', data: { type: 'block_actions', trigger_id: 't.1' } },
    ],
    [
      'a slash command of Slack',
      'slack',
      { command: '/weather', text: 'tomorrow', trigger_id: 't.2', team_id: 'T-form' },
      { type: 'slack.weather.other', data: { command: '/weather', text: 'tomorrow' } },
    ],
    [
      'a webhook of GitHub',
      'github',
      { payload: JSON.stringify({ action: 'opened', issue: { id: 5 }, installation: { id: 'T-form' } }) },
      { type: 'github.issue.created', data: { action: 'opened' } },
    ],
  ])('signed, that bring %s as a form, become its events', async (_what, provider, fields, event) => {
    const secret = 'signing-secret-of-forms';
    const made = await integrateWith(provider, secret);
    const connection = await connect(stage, made.id, 'ada', 'T-form');
    const body = new URLSearchParams(fields).toString();
    const time = String(Math.floor(Date.now() / 1000));
    const hmac = (text: string) => createHmac('sha256', secret).update(text).digest('hex');

    const answer = await post(made.webhookUrl, body, {
      'content-type': 'application/x-www-form-urlencoded',
      'x-slack-request-timestamp': time,
      'x-slack-signature': `v0=${hmac(`v0:${time}:${body}`)}`,
      'x-hub-signature-256': `sha256=${hmac(body)}`,
      'x-github-event': 'issues',
      'x-github-delivery': time,
    });

    expect([answer.status, answer.code]).toEqual([200, '']);
    await until(async () => (await eventsOf(connection.id)).length === 1);
    expect((await eventsOf(connection.id))[0]).toMatchObject(event);
  });

  it('find nothing at unknown addresses', async () => {
    const { url } = stage.gateway;
    const unknown = [
      `${url}/webhooks/0192f0c8-0000-7000-8000-000000000003`,
      `${url}/webhooks/no-uuid`,
      `${url}/webhooks`,
      `${hub.webhookUrl}/${'x'.repeat(43)}`,
      `${hub.webhookUrl}/x/y`,
    ];
    for (const address of unknown) {
      const { status, code } = await post(address, '{}');
      expect(`${address} ${status} ${code}`).toBe(`${address} 404 webhook_address_not_found`);
    }
  });

  it.each([
    ['hub', 'POST, OPTIONS'],
    ['facebook', 'GET, POST, HEAD, OPTIONS'],
  ])('with other methods are refused at the address of %s, which names %s', async (provider, allow) => {
    const { webhookUrl } = await integrateWith(provider);
    const ask = (method: string) =>
      fetch(webhookUrl, { method }).then(({ status, headers }) => [method, status, headers.get('allow')]);
    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE']) {
      expect(await ask(method)).toEqual([method, 405, allow]);
    }
    expect(await ask('OPTIONS')).toEqual(['OPTIONS', 204, allow]);
    const unknown = await fetch(`${webhookUrl}/${'x'.repeat(43)}`, { method: 'DELETE' });
    expect(unknown.status).toBe(404);
  });
});

describe('a handshake', () => {
  it('of a chat is answered with its challenge where it is signed', async () => {
    const secret = 'signing-secret-of-the-chat';
    const chat = await integrate(stage, 'chat', secret);
    const body = JSON.stringify({ type: 'url_verification', challenge: 'c-123', token: 'old' });

    const answer = await send('chat', { url: chat.webhookUrl, secret, body });

    expect([answer.status, answer.text]).toEqual([200, 'c-123']);
    const forged = await send('chat', { url: chat.webhookUrl, secret: 'another', body });
    expect([forged.status, forged.code]).toEqual([401, 'signature_invalid']);
  });

  it('by a token in the query is echoed', async () => {
    const graph = await integrate(stage, 'graph', 'client-state');
    const answer = await post(`${graph.webhookUrl}?validationToken=a%20b%2B`, '');
    expect([answer.status, answer.text, answer.headers.get('content-type')]).toEqual([
      200,
      'a b+',
      'text/plain; charset=utf-8',
    ]);
    const connection = await connect(stage, graph.id, 'ada', 'tenant');
    const body = JSON.stringify({
      value: [{ clientState: 'client-state', changeType: 'created', resourceData: { id: '7' } }],
    });
    expect((await post(graph.webhookUrl, body)).status).toBe(202);
    expect((await post(graph.webhookUrl, body.replace('client-state', 'guessed'))).status).toBe(401);
    expect(connection.id).toEqual(expect.any(String));
  });
});
