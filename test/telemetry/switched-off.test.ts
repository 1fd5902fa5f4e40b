import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startGatewayProcess, waitUntilReady } from '../../examples/demo/gateway-process.ts';
import { prepareGateway } from '../support/gateway-environment.ts';

const ROOT = join(import.meta.dirname, '../..');
/** The job queue and prom-client import the bare interface, which does nothing by itself. */
const INTERFACE = '@opentelemetry/api/';

/** OpenTelemetry's modules that a gateway has loaded once it serves and has been asked for a call. */
async function listLoaded(env: Readonly<Record<string, string>>): Promise<string[]> {
  const prepared = await prepareGateway({ env });
  const log = join(prepared.directory, 'modules.txt');
  const gateway = startGatewayProcess({
    main: join(ROOT, 'src/main.ts'),
    directory: prepared.directory,
    env: {
      ...prepared.env,
      MODULE_LOG: log,
      NODE_OPTIONS: `--import=${join(ROOT, 'test/support/module-log.mjs')}`,
    },
  });
  try {
    await waitUntilReady(prepared.url, gateway);
    await fetch(`${prepared.url}/projects/none/proxy/none/a`);
    const loaded = (await readFile(log, 'utf8')).split('\n');
    expect(loaded.some((url) => url.includes('/src/compose/gateway.ts'))).toBe(true);
    return loaded.filter((url) => url.includes('@opentelemetry/') && !url.includes(INTERFACE));
  } finally {
    await gateway.stop();
    await prepared.cleanUp();
  }
}

describe('the packages of OpenTelemetry', () => {
  it('are not loaded where no variable switches a signal on', async () => {
    expect(await listLoaded({ OTEL_SERVICE_NAME: 'gateway', OTEL_TRACES_SAMPLER: 'always_on' })).toEqual([]);
    expect(
      await listLoaded({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', OTEL_SDK_DISABLED: 'true' }),
    ).toEqual([]);
  });

  it('are loaded where one does', async () => {
    const loaded = await listLoaded({ OTEL_TRACES_EXPORTER: 'otlp' });
    expect(loaded.some((url) => url.includes('@opentelemetry/sdk-trace/'))).toBe(true);
  });
});
