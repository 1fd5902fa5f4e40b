import { startTracedStage, type TracedStage } from '../support/traced-stage.ts';
import { until } from '../support/until.ts';

let stage: TracedStage;
beforeAll(async () => {
  stage = await startTracedStage({
    OTEL_BSP_MAX_QUEUE_SIZE: '8',
    OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '4',
    OTEL_METRIC_EXPORT_INTERVAL: '500',
  });
  const { access_token: accessToken } = stage.provider.issue();
  await stage.connect(stage.integrations.good, 'ada', { accessToken });
});
afterAll(() => stage?.close());

const linesWith = (text: string) =>
  stage.gateway
    .logs()
    .split('\n')
    .filter((line) => line.includes(text));
const requests = (path: string) =>
  stage.collector.collected.requests.filter((request) => request.path === path).length;

async function call(times: number): Promise<void> {
  for (let calls = 0; calls < times; calls += 1) expect((await stage.call('ada', '/a')).status).toBe(200);
}

describe('a collector that takes nothing', () => {
  it('costs calls nothing, and one line in the log until it takes something again', async () => {
    stage.collector.answerWith(400);
    const [tracesBefore, metricsBefore] = [requests('/v1/traces'), requests('/v1/metrics')];
    await until(async () => {
      await call(20);
      return requests('/v1/traces') > tracesBefore + 3 && requests('/v1/metrics') > metricsBefore + 3;
    });
    const failing = () => linesWith('telemetry cannot be sent').map((line) => JSON.parse(line));
    await until(() => failing().some(({ signal }) => signal === 'traces'));
    stage.collector.answerWith(200);
    await until(async () => {
      await call(1);
      return linesWith('telemetry is taken again').some((line) => line.includes('"traces"'));
    });
    for (const signal of ['traces', 'metrics'])
      expect(failing().filter((line) => line.signal === signal)).toEqual([
        expect.objectContaining({ level: 'warn', code: 400 }),
      ]);
    expect(linesWith('"level":"error"')).toEqual([]);
  });

  it('has what was gathered last sent when the gateway stops', async () => {
    await stage.gateway.stop();
    const { collected } = stage.collector;
    const names = new Set(collected.spans.map(({ name }) => name));
    expect(names).toContain('GET /projects/{projectId}/proxy/{provider}');
  });
});

describe('a gateway that stops', () => {
  it('sends its last spans first, which waited for their batch', async () => {
    const slow = await startTracedStage({ OTEL_BSP_SCHEDULE_DELAY: '3600000' });
    const { access_token: accessToken } = slow.provider.issue();
    await slow.connect(slow.integrations.good, 'ada', { accessToken });
    await slow.call('ada', '/a');
    expect(slow.collector.collected.spans).toEqual([]);
    await slow.gateway.stop();
    expect(slow.collector.spansOf('GET /projects/{projectId}/proxy/{provider}')).toHaveLength(1);
    await slow.close();
  });

  it('does not wait for a collector that never answers', async () => {
    const alone = await startTracedStage({
      OTEL_BSP_SCHEDULE_DELAY: '3600000',
      OTEL_BSP_EXPORT_TIMEOUT: '3600000',
      OTEL_EXPORTER_OTLP_TIMEOUT: '3600000',
    });
    await alone.sendWebhook('no secret of the integration');
    alone.collector.answerWith(0);
    await alone.gateway.stop();
    expect(alone.collector.collected.requests.map(({ path }) => path)).toContain('/v1/traces');
    await alone.close();
  });
});
