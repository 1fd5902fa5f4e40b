import { startTracedStage, type TracedStage } from '../support/traced-stage.ts';
import { until } from '../support/until.ts';

let stage: TracedStage;
beforeAll(async () => {
  stage = await startTracedStage({
    OTEL_TRACES_EXPORTER: 'none',
    OTEL_LOGS_EXPORTER: 'none',
    OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
    OTEL_METRIC_EXPORT_INTERVAL: '500',
  });
});
afterAll(() => stage?.close());

const metrics = () => stage.collector.collected.metrics;

/** The names of the series' families on the page. */
async function readPage(): Promise<{ names: string[]; text: string }> {
  const text = await (await fetch(`${stage.gateway.url}/metrics`)).text();
  return { names: [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name), text };
}

describe('metrics by OTLP', () => {
  it('are those of the page, under the same names', async () => {
    const { names } = await readPage();
    await until(() => names.every((name) => metrics().has(name)));
    expect([...metrics().keys()].toSorted()).toEqual(names.toSorted());
  });

  it('count calls as the page does, and have the same buckets of durations', async () => {
    const { access_token: accessToken } = stage.provider.issue();
    await stage.connect(stage.integrations.good, 'ada', { accessToken });
    for (let calls = 0; calls < 3; calls += 1) expect((await stage.call('ada', '/a')).status).toBe(200);
    const ofGood = (name: string) => {
      const { sum, histogram } = metrics().get(name) ?? {};
      return (sum ?? histogram)?.data_points.find((point) => point.attributes.provider === 'good');
    };
    await until(() => ofGood('gateway_proxy_calls_total')?.as_double === 3);
    expect(metrics().get('gateway_proxy_calls_total')?.sum?.is_monotonic).toBe(true);
    expect(ofGood('gateway_proxy_calls_total')?.attributes).toEqual({ provider: 'good', outcome: '2xx' });
    const durations = ofGood('gateway_proxy_call_duration_seconds');
    expect(metrics().get('gateway_proxy_call_duration_seconds')?.unit).toBe('s');
    expect(durations?.count).toBe('3');
    expect(durations?.bucket_counts).toHaveLength((durations?.explicit_bounds?.length ?? 0) + 1);
    expect(durations?.bucket_counts?.reduce((sum, count) => sum + Number(count), 0)).toBe(3);
    // The page counts what is below a bound, with what is below the bounds before it.
    await until(async () => /duration_seconds_count\{provider="good".* 3$/m.test((await readPage()).text));
    const { text } = await readPage();
    let below = 0;
    for (const [index, bound] of (durations?.explicit_bounds ?? []).entries()) {
      below += Number(durations?.bucket_counts?.[index]);
      expect(text).toContain(
        `gateway_proxy_call_duration_seconds_bucket{provider="good",outcome="2xx",le="${bound}"} ${below}`,
      );
    }
  });

  it('alone are sent where the other signals are switched off', () => {
    const paths = stage.collector.collected.requests.map(({ path }) => path);
    expect(new Set(paths)).toEqual(new Set(['/v1/metrics']));
  });
});
