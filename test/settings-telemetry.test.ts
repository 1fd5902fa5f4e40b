import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findMistypedVariables, loadConfig } from '../src/config.ts';

const read = (env: Record<string, string>, directory = '/nowhere') => loadConfig(env, directory).telemetry;
const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.test:4318' };

describe('the variables of OpenTelemetry', () => {
  it('switch nothing on where no signal has an exporter or an address', () => {
    expect(read({})).toBeUndefined();
    expect(read({ OTEL_SERVICE_NAME: 'x', OTEL_TRACES_SAMPLER: 'always_on' })).toBeUndefined();
    expect(read({ ...ENDPOINT, OTEL_SDK_DISABLED: 'true' })).toBeUndefined();
    const exporters = {
      OTEL_TRACES_EXPORTER: 'none',
      OTEL_METRICS_EXPORTER: 'none',
      OTEL_LOGS_EXPORTER: 'none',
    };
    expect(read({ ...ENDPOINT, ...exporters })).toBeUndefined();
  });

  it('send every signal to its path below the shared address, or to an address of its own as it stands', () => {
    const found = read({
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.test:4318/base',
      OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: 'https://logs.test/take',
    });
    expect(found?.traces?.target.url).toBe('http://collector.test:4318/base/v1/traces');
    expect(found?.metrics?.target.url).toBe('http://collector.test:4318/base/v1/metrics');
    expect(found?.logs?.target.url).toBe('https://logs.test/take');
    const alone = read({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://collector.test/v1/traces' });
    expect([alone?.metrics, alone?.logs]).toEqual([undefined, undefined]);
    expect(read({ OTEL_TRACES_EXPORTER: 'otlp' })?.traces?.target.url).toBe(
      'http://localhost:4318/v1/traces',
    );
  });

  it('give header fields to all signals and to one, percent-decoded', () => {
    const found = read({
      ...ENDPOINT,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-key=a%20b, x-team=one',
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x-team=two',
    });
    expect(found?.traces?.target.headers).toEqual({ 'x-key': 'a b', 'x-team': 'two' });
    expect(found?.logs?.target.headers).toEqual({ 'x-key': 'a b', 'x-team': 'one' });
  });

  it('choose the sampler, by default that of the caller', () => {
    expect(read(ENDPOINT)?.traces?.sampler).toEqual({ kind: 'always_on', ratio: 1, followsParent: true });
    const ratio = { ...ENDPOINT, OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.01' };
    expect(read(ratio)?.traces?.sampler).toEqual({ kind: 'traceidratio', ratio: 0.01, followsParent: false });
  });

  it('may stand in .env, with the header fields and certificates in files', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'telemetry-settings-'));
    await writeFile(join(directory, 'headers'), 'x-key=of-a-file\n');
    await writeFile(join(directory, 'ca.pem'), 'PEM');
    await writeFile(
      join(directory, '.env'),
      `OTEL_EXPORTER_OTLP_ENDPOINT=https://collector.test\nOTEL_EXPORTER_OTLP_HEADERS_FILE=headers\nOTEL_EXPORTER_OTLP_CERTIFICATE=ca.pem\n`,
    );
    const target = read({}, directory)?.traces?.target;
    await rm(directory, { recursive: true });
    expect(target).toMatchObject({ headers: { 'x-key': 'of-a-file' }, tls: { ca: Buffer.from('PEM') } });
  });

  it.each([
    [{ OTEL_TRACES_EXPORTER: 'console' }, 'OTEL_TRACES_EXPORTER: otlp or none'],
    [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, 'OTEL_EXPORTER_OTLP_PROTOCOL: http/protobuf'],
    [{ OTEL_EXPORTER_OTLP_LOGS_PROTOCOL: 'http/json' }, 'OTEL_EXPORTER_OTLP_LOGS_PROTOCOL: http/protobuf'],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' }, 'OTEL_EXPORTER_OTLP_ENDPOINT: an http or https URL'],
    [{ OTEL_EXPORTER_OTLP_HEADERS: 'x-key' }, 'OTEL_EXPORTER_OTLP_HEADERS: key=value pairs'],
    [{ OTEL_EXPORTER_OTLP_TIMEOUT: '1.5' }, 'OTEL_EXPORTER_OTLP_TIMEOUT: a whole number'],
    [{ OTEL_EXPORTER_OTLP_COMPRESSION: 'br' }, 'OTEL_EXPORTER_OTLP_COMPRESSION: gzip or none'],
    [{ OTEL_EXPORTER_OTLP_CERTIFICATE: 'missing.pem' }, 'OTEL_EXPORTER_OTLP_CERTIFICATE: a file of PEM'],
    [{ OTEL_TRACES_SAMPLER: 'xray' }, 'OTEL_TRACES_SAMPLER: one of always_on'],
    [
      { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '2' },
      'OTEL_TRACES_SAMPLER_ARG: a share',
    ],
    [
      { OTEL_BSP_MAX_QUEUE_SIZE: '10', OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '20' },
      'OTEL_BSP_MAX_EXPORT_BATCH_SIZE',
    ],
  ])('refuse %j and say what is expected', (env, words) => {
    expect(() => read({ ...ENDPOINT, ...env })).toThrow(words);
  });

  it('are known where one is mistyped', () => {
    expect(findMistypedVariables({ OTEL_EXPORTER_OTLP_ENDPIONT: 'x' }, '/nowhere')).toEqual([
      { name: 'OTEL_EXPORTER_OTLP_ENDPIONT', meant: 'OTEL_EXPORTER_OTLP_ENDPOINT' },
    ]);
  });
});
