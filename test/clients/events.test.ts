import { createHmac, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { createGatewayClient, verifyWebhook, type WebhookRequest } from '../../clients/node/src/index.ts';
import { callApiOk } from '../support/gateway.ts';
import { closeServer, listen } from '../support/listen.ts';
import { connectAccount, type Stage, startStage } from '../support/stage.ts';

const SECRET = `whsec_${randomBytes(32).toString('base64')}`;
const OTHER_SECRET = `whsec_${randomBytes(32).toString('base64')}`;
const BODY = JSON.stringify({ id: 'e1', type: 'acme.thing.created', data: { n: 1 } });

describe('events.stream', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await startStage();
  });
  afterAll(() => stage?.close());

  it('gives events as they come, goes on after one, and ends with its signal', async () => {
    const { gateway, project } = stage;
    const client = createGatewayClient({ url: gateway.url, apiKey: project.apiKey });
    const ending = new AbortController();
    const stream = client.events.stream({ types: ['connection.*'], signal: ending.signal });
    const first = stream.next();
    const connection = await connectAccount(stage, { userId: 'streamed' });
    const created = (await first).value;
    expect(created).toMatchObject({ type: 'connection.created', connectionId: connection.id });
    await callApiOk(gateway.url, 'DELETE', `/v1/connections/${connection.id}`, { bearer: project.apiKey });
    expect((await stream.next()).value).toMatchObject({ type: 'connection.deleted' });
    const waiting = stream.next();
    ending.abort();
    expect(await waiting).toEqual({ done: true, value: undefined });
    for await (const event of client.events.stream({ after: created?.id })) {
      expect(event.type).toBe('connection.deleted');
      break;
    }
  });

  it('pauses after an empty answer that did not wait, so that it does not use up the rate limit', async () => {
    const askedAt: number[] = [];
    const ending = new AbortController();
    const server = createServer((_request, response) => {
      askedAt.push(performance.now());
      if (askedAt.length === 2) ending.abort();
      response.setHeader('Content-Type', 'application/json').end('{"events":[],"nextAfter":"e1"}');
    });
    const client = createGatewayClient({
      url: `http://127.0.0.1:${await listen(server)}`,
      apiKey: 'igk_any',
    });
    expect(await client.events.stream({ signal: ending.signal }).next()).toEqual({
      done: true,
      value: undefined,
    });
    await closeServer(server);
    const [first = 0, second = 0] = askedAt;
    expect(second - first).toBeGreaterThan(990);
  });

  it('throws what the gateway refuses', async () => {
    const { gateway, project } = stage;
    const client = createGatewayClient({ url: gateway.url, apiKey: project.apiKey });
    const stream = client.events.stream({ after: 'no-id' });
    await expect(stream.next()).rejects.toMatchObject({ code: 'invalid_request' });
  });
});

describe('webhooks.verify', () => {
  const seconds = (offset = 0) => String(Math.floor(Date.now() / 1000) + offset);

  function signed(changes: { body?: string; at?: string; secret?: string; headers?: object } = {}) {
    const { body = BODY, at = seconds(), secret = SECRET } = changes;
    const key = Buffer.from(secret.slice(6), 'base64');
    const signature = createHmac('sha256', key).update(`e1.${at}.${body}`).digest('base64');
    const headers: Record<string, string> = {
      'webhook-id': 'e1',
      'webhook-timestamp': at,
      'webhook-signature': `v1,${signature}`,
      ...changes.headers,
    };
    return { headers, body };
  }

  it.each<[string, () => WebhookRequest]>([
    ['text', () => signed()],
    ['bytes', () => ({ ...signed(), body: Buffer.from(BODY) })],
    ['a web request', () => new Request('http://app.test/', { method: 'POST', ...signed() })],
    ['names in other cases', () => ({ body: BODY, headers: renamed(signed().headers) })],
  ])('gives the event of %s', async (_kind, request) => {
    expect(await verifyWebhook(request(), SECRET)).toEqual(JSON.parse(BODY));
  });

  const renamed = (headers: Record<string, string>) =>
    Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]));

  it('takes either secret, and either signature, while the secret is rotated', async () => {
    const { headers, body } = signed({ secret: OTHER_SECRET });
    const both = { ...headers, 'webhook-signature': `v1,AAAA ${headers['webhook-signature']} v1a,x` };
    expect(await verifyWebhook({ headers: both, body }, [SECRET, OTHER_SECRET])).toMatchObject({ id: 'e1' });
  });

  it.each([
    ['signature_invalid', () => ({ ...signed(), body: BODY.replace('1', '2') })],
    ['signature_invalid', () => signed({ secret: OTHER_SECRET })],
    ['signature_invalid', () => signed({ headers: { 'webhook-id': 'e2' } })],
    ['signature_invalid', () => signed({ headers: { 'webhook-signature': 'v1,' } })],
    ['timestamp_invalid', () => signed({ at: seconds(-301) })],
    ['timestamp_invalid', () => signed({ at: seconds(302) })],
    ['timestamp_invalid', () => signed({ at: 'now' })],
    ['header_missing', () => signed({ headers: { 'webhook-signature': '' } })],
    ['body_invalid', () => signed({ body: 'no json' })],
  ])('refuses with %s', async (code, request) => {
    await expect(verifyWebhook(request(), SECRET)).rejects.toMatchObject({ code });
  });

  it('takes what waited in a topic, where the time of its signature is to say nothing', async () => {
    const options = { toleranceSeconds: Number.POSITIVE_INFINITY };
    const late = signed({ at: seconds(-86_400) });
    expect(await verifyWebhook(late, SECRET, options)).toMatchObject({ id: 'e1' });
    const forged = { ...late, body: BODY.replace('1', '2') };
    await expect(verifyWebhook(forged, SECRET, options)).rejects.toMatchObject({ code: 'signature_invalid' });
  });

  it('says at once that a secret or a raw body is missing', async () => {
    const client = createGatewayClient({ url: 'https://gateway.example', apiKey: 'igk_x' });
    await expect(client.webhooks.verify(signed())).rejects.toThrow('`webhookSecret` is missing');
    await expect(verifyWebhook(signed(), 'secret')).rejects.toThrow('whsec_');
    const parsed: WebhookRequest = JSON.parse(JSON.stringify({ ...signed(), body: {} }));
    await expect(verifyWebhook(parsed, SECRET)).rejects.toThrow('raw body');
  });
});
