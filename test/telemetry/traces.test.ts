import { findLeaks } from '../support/leaks.ts';
import type { CollectedSpan } from '../support/otlp-collector.ts';
import {
  COLLECTOR_KEY,
  startTracedStage,
  type TracedStage,
  WEBHOOK_SECRET,
} from '../support/traced-stage.ts';
import { until } from '../support/until.ts';

const PROXY = 'GET /projects/{projectId}/proxy/{provider}';
const WEBHOOK = 'POST /webhooks/{integrationId}';
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';
/** As the protobuf of OTLP numbers kinds and codes. */
const KIND = { internal: 1, server: 2, client: 3 };
const ERROR = 2;

let stage: TracedStage;
beforeAll(async () => {
  stage = await startTracedStage();
});
afterAll(() => stage?.close());

function issueTokens() {
  const { access_token: accessToken, refresh_token: refreshToken } = stage.provider.issue();
  return { accessToken, refreshToken };
}

/** The spans that belong to `parent`, the first to begin first. */
function childrenOf(parent: CollectedSpan): CollectedSpan[] {
  const own = stage.collector.collected.spans.filter(
    (one) => one.trace_id === parent.trace_id && one.parent_span_id === parent.span_id,
  );
  return own.toSorted((left, right) =>
    Number(BigInt(left.start_time_unix_nano) - BigInt(right.start_time_unix_nano)),
  );
}

async function findSpan(name: string, isIt: (span: CollectedSpan) => boolean = () => true) {
  await until(() => stage.collector.spansOf(name).some(isIt));
  const found = stage.collector.spansOf(name).find(isIt);
  if (found === undefined) throw new Error('no such span');
  return found;
}

const requestIdOf = (answer: { headers: Headers }) => answer.headers.get('gateway-request-id');

describe('a proxied call', () => {
  it('is a span of the caller’s trace, with one for the request to the provider', async () => {
    await stage.connect(stage.integrations.good, 'ada', issueTokens());
    const answer = await stage.call('ada', '/people/ada%40example.test?token=value-of-the-query', {
      traceparent: `00-${TRACE}-${PARENT}-01`,
      tracestate: 'vendor=of-the-caller',
    });
    expect(answer.status).toBe(200);
    const span = await findSpan(PROXY, (one) => one.attributes['gateway.request_id'] === requestIdOf(answer));
    expect(span).toMatchObject({ trace_id: TRACE, parent_span_id: PARENT, kind: KIND.server });
    expect(span.status?.code).toBeUndefined();
    const { port } = stage.gateway;
    expect(span.attributes).toMatchObject({
      'http.request.method': 'GET',
      'http.route': '/projects/{projectId}/proxy/{provider}',
      'http.response.status_code': 200,
      'url.scheme': 'http',
      'url.path': `/projects/${stage.project.id}/proxy/good/REDACTED`,
      'server.address': '127.0.0.1',
      'server.port': port,
      'gateway.provider': 'good',
      'gateway.project.id': stage.project.id,
      'gateway.integration.id': stage.integrations.good,
      'gateway.attempts': 1,
    });
    const [request, ...others] = childrenOf(span);
    expect(others).toEqual([]);
    expect(request).toMatchObject({ name: 'GET', kind: KIND.client });
    expect(request?.attributes).toEqual({
      'http.request.method': 'GET',
      'http.response.status_code': 200,
      'url.full': `${stage.provider.url}/REDACTED`,
      'server.address': '127.0.0.1',
      'server.port': Number(new URL(stage.provider.url).port),
    });
  });

  it('begins a trace where its caller names none', async () => {
    const answer = await stage.call('ada', '/a', { traceparent: 'no such thing' });
    const span = await findSpan(PROXY, (one) => one.attributes['gateway.request_id'] === requestIdOf(answer));
    expect(span.parent_span_id ?? '').toBe('');
    expect(span.trace_id).not.toBe(TRACE);
  });

  it('is left out where its caller does not record the trace', async () => {
    const dropped = await stage.call('ada', '/a', { traceparent: `00-${'a'.repeat(32)}-${PARENT}-00` });
    const kept = await stage.call('ada', '/a');
    await findSpan(PROXY, (one) => one.attributes['gateway.request_id'] === requestIdOf(kept));
    const ids = stage.collector.spansOf(PROXY).map((one) => one.attributes['gateway.request_id']);
    expect(ids).not.toContain(requestIdOf(dropped));
    expect(stage.collector.collected.spans.map((one) => one.trace_id)).not.toContain('a'.repeat(32));
  });

  it('has the refresh that it waits for within it, and a span for each request', async () => {
    const { refreshToken } = issueTokens();
    await stage.connect(stage.integrations.good, 'stale', {
      accessToken: 'a-spent-access-token',
      refreshToken,
    });
    const answer = await stage.call('stale', '/a');
    expect(answer.status).toBe(200);
    const span = await findSpan(PROXY, (one) => one.attributes['gateway.request_id'] === requestIdOf(answer));
    const [refused, refresh, repeated] = childrenOf(span);
    expect(refused?.attributes).toMatchObject({ 'http.response.status_code': 401, 'error.type': '401' });
    expect(refused?.status?.code).toBe(ERROR);
    expect(refresh).toMatchObject({ name: 'token refresh', kind: KIND.internal });
    expect(refresh?.attributes).toMatchObject({ 'gateway.provider': 'good', 'gateway.outcome': 'refreshed' });
    expect(repeated?.attributes).toMatchObject({
      'http.response.status_code': 200,
      'http.request.resend_count': 1,
    });
    const [request] = refresh === undefined ? [] : childrenOf(refresh);
    expect(request).toMatchObject({ name: 'POST', kind: KIND.client });
    expect(request?.attributes).toMatchObject({
      'url.full': `${stage.provider.url}/REDACTED`,
      'http.response.status_code': 200,
    });
  });

  it('tells a refusal of the gateway by its code, and takes nothing of an unknown caller’s address', async () => {
    const answer = await fetch(`${stage.gateway.url}/projects/text-of-a-stranger/proxy/other-text/x`);
    const span = await findSpan(PROXY, (one) => one.attributes['gateway.request_id'] === requestIdOf(answer));
    expect(span.attributes).toMatchObject({
      'http.response.status_code': 401,
      'gateway.error': 'token_missing',
      'url.path': '/projects/REDACTED',
    });
    expect(span.status?.code).toBeUndefined();
    expect(stage.collector.collected.text).not.toMatch(/text-of-a-stranger|other-text/);
  });
});

describe('other work', () => {
  it('of a webhook’s receipt is a span with what became of it, whatever trace its sender names', async () => {
    expect((await stage.sendWebhook(WEBHOOK_SECRET)).status).toBe(200);
    expect((await stage.sendWebhook('another')).status).toBe(401);
    const stored = await findSpan(WEBHOOK, (one) => one.attributes['http.response.status_code'] === 200);
    expect(stored).toMatchObject({ kind: KIND.server });
    expect(stored.attributes).toMatchObject({
      'http.request.method': 'POST',
      'http.route': '/webhooks/{integrationId}',
      'gateway.provider': 'good',
      'gateway.integration.id': stage.integrations.good,
    });
    const refused = await findSpan(WEBHOOK, (one) => one.attributes['http.response.status_code'] === 401);
    expect(refused.attributes).toMatchObject({ 'gateway.error': 'signature_invalid' });
  });

  it('of a delivery is a span for each attempt', async () => {
    const body = { url: `${stage.receiver.url}?key=value-of-the-receiver`, types: ['connection.*'] };
    await stage.api('POST', '/event-destinations', { body });
    await stage.connect(stage.integrations.good, 'delivered', issueTokens());
    const span = await findSpan('POST event delivery');
    expect(span).toMatchObject({ kind: KIND.client });
    expect(span.parent_span_id ?? '').toBe('');
    const { origin, port } = new URL(stage.receiver.url);
    expect(span.attributes).toEqual({
      'http.request.method': 'POST',
      'http.response.status_code': 200,
      'url.full': `${origin}/REDACTED`,
      'server.address': '127.0.0.1',
      'server.port': Number(port),
      'gateway.event.id': stage.receiver.received[0]?.id,
    });
  });

  it('of a poll is a span for each page, with the request within it', async () => {
    await stage.connect(stage.integrations.keyed, 'polled', { apiKey: 'key-of-the-polled-account' });
    const custom = {
      object: 'person',
      pageSize: 5,
      record: { id: 'id' },
      list: {
        request: { path: '/people', query: { limit: '{limit}', after: '{page}' } },
        paging: { by: 'token', path: 'next' },
        items: 'results',
      },
    };
    const body = { integrationId: stage.integrations.keyed, custom, intervalSeconds: 60, deletes: 'scan' };
    const poll = await stage.api('POST', '/polls', { body });
    const page = await findSpan('poll page', (one) => childrenOf(one).length > 0);
    expect(page.parent_span_id ?? '').toBe('');
    expect(page.attributes).toMatchObject({ 'gateway.provider': 'keyed', 'gateway.poll.id': poll.id });
    const [request] = childrenOf(page);
    expect(request).toMatchObject({ name: 'GET', kind: KIND.client });
    expect(request?.attributes).toMatchObject({
      'http.response.status_code': 200,
      'url.full': `${stage.crm.url}/REDACTED`,
    });
  });
});

describe('what is sent', () => {
  it('names the service as the variables say, and carries their header fields', () => {
    const { resources, requests } = stage.collector.collected;
    expect(resources[0]).toMatchObject({
      'service.name': 'integration-gateway',
      'deployment.environment.name': 'test run',
      'telemetry.sdk.language': 'nodejs',
    });
    expect(requests.every(({ headers }) => headers['x-key'] === COLLECTOR_KEY)).toBe(true);
  });

  it('holds no token, secret, query or path', () => {
    const secrets = new Map([
      ['user token', stage.project.userToken('ada').split('.')[1] ?? ''],
      ['API key', stage.project.apiKey],
      ['client secret', 'secret-of-the-client'],
      ['webhook secret', WEBHOOK_SECRET],
      ['collector key', COLLECTOR_KEY],
      ['query', 'value-of-the-query'],
      ['path', 'ada%40example.test'],
      ['query of a receiver', 'value-of-the-receiver'],
      ['access token', 'a-spent-access-token'],
      ['key of an account', 'key-of-the-polled-account'],
      ...stage.provider.refreshes.map((token) => ['refresh token', token] as const),
    ]);
    expect(stage.collector.collected.spans.length).toBeGreaterThan(10);
    expect(findLeaks(stage.collector.collected.text, secrets)).toEqual([]);
  });
});
