import { createMetrics } from '../../src/platform/metrics.ts';

const call = {
  provider: 'hubspot',
  connectionId: 'c',
  status: 200,
  error: undefined,
  durationMs: 12,
  attempts: 1,
};

describe('metrics', () => {
  it('count proxied calls by provider and outcome', async () => {
    const metrics = createMetrics({ processMetrics: false });
    metrics.countCall(call);
    metrics.countCall({ ...call, status: 429, attempts: 3 });
    metrics.countCall({ ...call, status: 502, error: 'upstream_unreachable' });
    metrics.countCall({ ...call, status: 0 });
    const { body } = await metrics.expose();
    for (const outcome of ['2xx', '4xx', 'upstream_unreachable', 'caller_gone'])
      expect(body).toContain(`gateway_proxy_calls_total{provider="hubspot",outcome="${outcome}"} 1`);
    expect(body).toContain('gateway_proxy_repeats_total{provider="hubspot"} 2');
    expect(body).toContain('gateway_proxy_call_duration_seconds_sum{provider="hubspot",outcome="2xx"} 0.012');
  });

  it('count the durations of proxied calls in buckets, as one family', async () => {
    const metrics = createMetrics({ processMetrics: false });
    metrics.nameWorker(3);
    for (const durationMs of [4, 5, 6, 70_000]) metrics.countCall({ ...call, durationMs });
    const { body } = await metrics.expose();
    const name = 'gateway_proxy_call_duration_seconds';
    const labels = 'provider="hubspot",outcome="2xx"';
    expect(body.split(`# TYPE ${name} histogram\n`)).toHaveLength(2);
    for (const [le, count] of [
      ['0.005', 2],
      ['0.01', 3],
      ['30', 3],
      ['+Inf', 4],
    ]) {
      expect(body).toContain(`${name}_bucket{${labels},le="${le}",worker="3"} ${count}\n`);
    }
    expect(body).toContain(`${name}_sum{${labels},worker="3"} 70.015\n`);
    expect(body).toContain(`${name}_count{${labels},worker="3"} 4\n`);
    expect(body.endsWith('\n')).toBe(true);
  });

  it('take no label from a caller whose provider has not been checked', async () => {
    const metrics = createMetrics({ processMetrics: false });
    metrics.countCall({ ...call, provider: 'evil"\n', connectionId: undefined, error: 'provider_unknown' });
    const { body } = await metrics.expose();
    expect(body).toContain('provider="none",outcome="provider_unknown"');
    expect(body).not.toContain('evil');
  });

  it('have no series for every provider that projects describe themselves', async () => {
    const metrics = createMetrics({ processMetrics: false });
    for (let each = 0; each < 600; each += 1) {
      metrics.countRefresh(`custom:${each}`, 'refreshed');
      metrics.countConnectFailure(`custom:${each}`, 'access_denied');
      metrics.countWebhook(`custom:${each}`, 'stored');
    }
    const { body } = await metrics.expose();
    expect(body.match(/provider="custom:/g)).toHaveLength(3 * 500);
    for (const name of ['token_refreshes', 'connect_failures', 'webhooks'])
      expect(body).toMatch(new RegExp(`gateway_${name}_total\\{provider="other",\\w+="\\w+"\\} 100`));
  });

  it('time requests by method, route and status class', async () => {
    const metrics = createMetrics({ processMetrics: false });
    metrics.countRequest({ method: 'GET', route: '/v1/x/{id}', status: 204, durationSeconds: 0.2 });
    metrics.countRequest({ method: 'BREW', route: '/v1/x/{id}', status: 404, durationSeconds: 0.2 });
    const { body } = await metrics.expose();
    expect(body).toContain('_count{method="GET",route="/v1/x/{id}",status_class="2xx"} 1');
    const bucket = (le: string) =>
      `gateway_http_request_duration_seconds_bucket{method="GET",route="/v1/x/{id}",status_class="2xx",le="${le}"}`;
    expect(body).toContain(`${bucket('0.1')} 0\n`);
    expect(body).toContain(`${bucket('0.25')} 1\n`);
    expect(body).toContain('_count{method="other",route="/v1/x/{id}",status_class="4xx"} 1');
  });

  it('read pools when they are read, and count refreshes', async () => {
    const metrics = createMetrics({ processMetrics: false });
    let used = 1;
    metrics.watchPool('proxy', () => ({ used, free: 4, waiting: 0 }));
    metrics.countRefresh('hubspot', 'refreshed');
    used = 3;
    const { body, contentType } = await metrics.expose();
    expect(body).toContain('gateway_store_pool_connections{pool="proxy",state="used"} 3');
    expect(body).toContain('gateway_token_refreshes_total{provider="hubspot",outcome="refreshed"} 1');
    expect(contentType).toContain('text/plain');
  });

  it('tell whether the store answers, and how many processes live', async () => {
    const metrics = createMetrics({ processMetrics: false });
    expect((await metrics.expose()).body).toContain('gateway_processes 1\n');
    metrics.watchProcesses(() => 3);
    expect((await metrics.expose()).body).toContain('gateway_processes 3\n');
    let isReady = true;
    metrics.watchStore(async () => isReady);
    expect((await metrics.expose()).body).toContain('gateway_store_up 1\n');
    isReady = false;
    expect((await metrics.expose()).body).toContain('gateway_store_up 0\n');
  });

  it('of two gateways in one process are apart', async () => {
    const [one, other] = [createMetrics(), createMetrics()];
    one.countCall(call);
    expect((await other.expose()).body).not.toContain('hubspot');
    expect((await other.expose()).body).toContain('process_cpu_seconds_total');
  });
});
