import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { parse } from 'yaml';
import { loadConfig } from '../../src/config.ts';
import { TELEMETRY_VARIABLES } from '../../src/settings/telemetry.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const example = readFileSync(join(ROOT, '.env.example'), 'utf8');
const configuration = readFileSync(join(ROOT, 'src/settings/environment.ts'), 'utf8');
const compose = readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8');

/** `#NAME=default`: the default as the example shows it; `NAME=` in the secrets at the top. */
const settings = [...example.matchAll(/^(#?)([A-Z][A-Z0-9_]+)=(.*)$/gm)].map(
  ([, hash = '', name = '', value = '']) => ({ commented: hash === '#', name, value }),
);
/** Those of OpenTelemetry have a specification of their own: the example shows the ones that most need. */
const names = settings.map(({ name }) => name).filter((name) => !name.startsWith('OTEL_'));

/** The keys of the zod object. */
const schema = /export const environment = z\.object\(\{(.*?)^\}\);/ms.exec(configuration)?.[1] ?? '';
const variables = [...schema.matchAll(/^ {2}([A-Z][A-Z0-9_]+):/gm)].map(([, name = '']) => name);

/** What only docker-compose.yml reads, by interpolation. */
const interpolated = [...compose.matchAll(/\$\{([A-Z_]+)[:?}-]/g)].map(([, name = '']) => name);
const composeOnly = [...new Set(interpolated)].filter((name) => !variables.includes(name));

describe('.env.example', () => {
  it('names exactly the variables that the gateway and docker compose read, each once', () => {
    expect(variables.length).toBeGreaterThan(20);
    expect(composeOnly).toContain('POSTGRES_PASSWORD');
    expect(names.toSorted()).toEqual([...variables, ...composeOnly].toSorted());
  });

  it('shows variables of OpenTelemetry that the gateway reads', () => {
    const shown = settings.map(({ name }) => name).filter((name) => name.startsWith('OTEL_'));
    expect(shown).toContain('OTEL_EXPORTER_OTLP_ENDPOINT');
    expect(shown.filter((name) => !TELEMETRY_VARIABLES.includes(name))).toEqual([]);
  });

  it('configures the gateway as it stands, before anything is filled in, with every default', () => {
    expect(loadConfig(parseEnv(example), ROOT)).toEqual(loadConfig({}, ROOT));
  });

  it('shows as a default what the gateway takes when the variable is unset', () => {
    // These have no default of their own: the value is an example.
    const examples = [
      ...['VALKEY_URL', 'NATS_URL'],
      ...['PUBLIC_URL', 'PROXY_URL', 'WEBHOOK_URL', 'TRUST_PROXY', 'CATALOG_DIR', 'METRICS_PORT'],
      ...['DATABASE_URL', 'DATABASE_DIRECT_URL', 'SHUTDOWN_DELAY_MS'],
      ...['SMTP_URL', 'SMTP_FROM', 'OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'],
      ...['OIDC_ALLOWED_DOMAINS', 'OIDC_DEFAULT_ROLE'],
    ];
    const defaults = settings.filter(
      ({ name, commented }) => commented && variables.includes(name) && !examples.includes(name),
    );
    expect(defaults.length).toBeGreaterThan(15);
    const shown = Object.fromEntries(defaults.map(({ name, value }) => [name, value]));
    expect(loadConfig(shown, ROOT)).toEqual(loadConfig({}, ROOT));
  });

  it('is accepted with every line switched on and its secrets filled in', () => {
    const all = Object.fromEntries(settings.map(({ name, value }) => [name, value]));
    const filledIn = {
      ENCRYPTION_KEYS: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
      SETUP_TOKEN: 'x'.repeat(16),
      OIDC_CLIENT_SECRET: 'secret',
      CATALOG_DIR: join(ROOT, 'src/catalog/providers'),
    };
    const config = loadConfig({ ...all, ...filledIn }, ROOT);
    expect(config).toMatchObject({
      publicUrl: 'https://gateway.example.com',
      trustProxy: 1,
      metricsPort: 9464,
    });
  });

  it('holds no secret', () => {
    const secrets = settings.filter(({ commented }) => !commented);
    expect(secrets).toEqual(
      ['POSTGRES_PASSWORD', 'ENCRYPTION_KEYS', 'SETUP_TOKEN'].map((name) => ({
        commented: false,
        name,
        value: '',
      })),
    );
  });
});

describe('docker-compose.yml', () => {
  it('agrees with .env.example on the port and address it publishes', () => {
    const shown = Object.fromEntries(settings.map(({ name, value }) => [name, value]));
    expect(parse(compose).services.gateway.ports).toEqual([
      `\${GATEWAY_ADDRESS:-${shown.GATEWAY_ADDRESS}}:\${GATEWAY_PORT:-${shown.GATEWAY_PORT}}:3000`,
    ]);
  });
});
