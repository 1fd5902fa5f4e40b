import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../src/config.ts';
import { ConfigurationError } from '../src/settings/configuration-error.ts';
import { environment } from '../src/settings/environment.ts';
import { KMS_VARIABLES } from '../src/settings/kms.ts';
import { SECRET_VARIABLES } from '../src/settings/secret-files.ts';
import { TELEMETRY_VARIABLES } from '../src/settings/telemetry.ts';

const nowhere = '/nonexistent';

const OIDC = {
  OIDC_ISSUER: 'https://login.example.com',
  OIDC_CLIENT_ID: 'gateway',
  OIDC_CLIENT_SECRET: 'hunter2',
};

describe('configuration', () => {
  it('has a default for everything', () => {
    expect(loadConfig({}, nowhere)).toMatchObject({
      port: 3000,
      host: '127.0.0.1',
      publicUrl: 'http://localhost:3000',
      databaseUrl: undefined,
      allowPrivateNetworks: false,
      workers: 1,
      trustProxy: false,
    });
  });

  it('derives the public address from the port', () => {
    expect(loadConfig({ PORT: '4100' }, nowhere).publicUrl).toBe('http://localhost:4100');
  });

  it('takes an origin of its own for the proxy, and none unless it is named', () => {
    expect(loadConfig({}, nowhere).proxyUrl).toBeUndefined();
    expect(loadConfig({ PROXY_URL: 'https://Proxy.example.com:443/' }, nowhere).proxyUrl).toBe(
      'https://proxy.example.com',
    );
  });

  it('takes an origin of its own for webhooks, and none unless it is named', () => {
    expect(loadConfig({}, nowhere).webhookUrl).toBeUndefined();
    expect(loadConfig({ WEBHOOK_URL: 'https://Hooks.example.com:443/' }, nowhere).webhookUrl).toBe(
      'https://hooks.example.com',
    );
  });

  it.each([
    [{}, { total: 10_000, perOrigin: 5_000, perConnection: 1_250, perUser: 2_500, perProject: 7_500 }],
    [
      { PROXY_CONCURRENCY_MAX: '60' },
      { total: 60, perOrigin: 30, perConnection: 7, perUser: 15, perProject: 45 },
    ],
    [{ PROXY_CONCURRENCY_MAX: '1' }, { total: 1, perOrigin: 1, perConnection: 1, perUser: 1, perProject: 1 }],
    [
      { PROXY_CONCURRENCY_MAX: '60', PROXY_CONCURRENCY_PER_USER_MAX: '59' },
      { total: 60, perOrigin: 30, perConnection: 7, perUser: 59, perProject: 45 },
    ],
  ])('shares the places for calls as %j says, or by proportion', (env, expected) => {
    expect(loadConfig(env, nowhere).proxy.concurrency).toEqual(expected);
  });

  it('reads a .env file, which never overrides the environment', () => {
    const directory = mkdtempSync(join(tmpdir(), 'gateway-config-'));
    writeFileSync(join(directory, '.env'), 'PORT=4200\nHOST=0.0.0.0\n');
    const config = loadConfig({ PORT: '4300' }, directory);
    rmSync(directory, { recursive: true });
    expect([config.port, config.host]).toEqual([4300, '0.0.0.0']);
  });

  it.each([
    ['PORT', { PORT: 'http' }],
    ['PORT', { PORT: '70000' }],
    ['PUBLIC_URL', { PUBLIC_URL: 'gateway.example.com' }],
    ['PUBLIC_URL', { PUBLIC_URL: 'http://gateway.example.com' }],
    ['PUBLIC_URL', { PUBLIC_URL: 'https://gateway.example.com/sub' }],
    ['PUBLIC_URL', { PUBLIC_URL: 'https://gateway.example.com/?a=b' }],
    ['PUBLIC_URL', { PUBLIC_URL: 'https://user@gateway.example.com' }],
    ['PROXY_URL', { PROXY_URL: 'proxy.example.com' }],
    ['PROXY_URL', { PROXY_URL: 'http://proxy.example.com' }],
    ['PROXY_URL', { PROXY_URL: 'https://proxy.example.com/proxy' }],
    [
      'PROXY_URL',
      { PUBLIC_URL: 'https://gateway.example.com', PROXY_URL: 'https://gateway.example.com:443/' },
    ],
    ['WEBHOOK_URL', { WEBHOOK_URL: 'http://hooks.example.com' }],
    ['WEBHOOK_URL', { WEBHOOK_URL: 'https://hooks.example.com/webhooks' }],
    [
      'WEBHOOK_URL',
      { PUBLIC_URL: 'https://gateway.example.com', WEBHOOK_URL: 'https://gateway.example.com' },
    ],
    ['WEBHOOK_URL', { PROXY_URL: 'https://other.example.com', WEBHOOK_URL: 'https://other.example.com:443' }],
    ['PROXY_CONCURRENCY_PER_USER_MAX', { PROXY_CONCURRENCY_PER_USER_MAX: '0' }],
    ['DATABASE_URL', { DATABASE_URL: 'mysql://localhost/x' }],
    ['DATABASE_DIRECT_URL', { DATABASE_DIRECT_URL: 'mysql://localhost/x' }],
    ['DATABASE_URL', { DATABASE_DIRECT_URL: 'postgresql://localhost/x' }],
    ['ENCRYPTION_KEYS', { DATABASE_URL: 'postgresql://localhost/x' }],
    ['ALLOW_PRIVATE_NETWORKS', { ALLOW_PRIVATE_NETWORKS: 'yes' }],
    ['WEB_CONCURRENCY', { WEB_CONCURRENCY: '0' }],
    ['TRUST_PROXY', { TRUST_PROXY: 'everybody' }],
    ['TRUST_PROXY', { TRUST_PROXY: '10.0.0.0/99' }],
    ['TRUST_PROXY', { TRUST_PROXY: '1.2.3' }],
    ['CATALOG_DIR', { CATALOG_DIR: '/nonexistent/providers' }],
    ['LOG_LEVEL', { LOG_LEVEL: 'loud' }],
    ['VALKEY_URL', { VALKEY_URL: 'valkey://gateway:100%@valkey.example.com' }],
    ['NATS_URL', { NATS_URL: 'nats://gateway:100%25%zz@nats.example.com' }],
    ['ENCRYPTION_KMS', { ENCRYPTION_KMS: 'constructor:key' }],
    ['SMTP_URL', { SMTP_URL: 'mail.example.com' }],
    ['SMTP_URL', { SMTP_FROM: 'gateway@example.com' }],
    ['OIDC_CLIENT_SECRET', { OIDC_ISSUER: 'https://login.example.com', OIDC_CLIENT_ID: 'gateway' }],
    ['OIDC_ISSUER', { OIDC_ALLOWED_DOMAINS: 'example.com' }],
    ['OIDC_ISSUER', { ...OIDC, OIDC_ISSUER: 'http://login.example.com' }],
    ['OIDC_ISSUER', { ...OIDC, OIDC_ISSUER: 'https://login.example.com/?tenant=1' }],
    ['OIDC_ALLOWED_DOMAINS', { ...OIDC, OIDC_ALLOWED_DOMAINS: 'example.com, *' }],
    ['OIDC_DEFAULT_ROLE', { ...OIDC, OIDC_DEFAULT_ROLE: 'king' }],
  ])('names %s when it refuses %j', (name, env) => {
    expect(() => loadConfig(env, nowhere)).toThrow(ConfigurationError);
    expect(() => loadConfig(env, nowhere)).toThrow(name);
  });

  it.each([
    [{ PORT: 'http' }, 'PORT: a whole number from 0 to 65535'],
    [{ PORT: '1e3' }, 'PORT: a whole number from 0 to 65535'],
    [{ WEB_CONCURRENCY: '0' }, 'WEB_CONCURRENCY: a whole number, 1 or more'],
    [{ SHUTDOWN_TIMEOUT_MS: '2147483648' }, 'SHUTDOWN_TIMEOUT_MS: a whole number from 0 to 2147483647'],
    [{ PROXY_CONNECT_TIMEOUT_MS: '0' }, 'PROXY_CONNECT_TIMEOUT_MS: a whole number from 1 to 2147483647'],
    [{ TOKEN_REQUEST_TIMEOUT_MS: '200001' }, 'TOKEN_REQUEST_TIMEOUT_MS: a whole number from 1 to 200000'],
    [{ ALLOW_PRIVATE_NETWORKS: 'yes' }, 'ALLOW_PRIVATE_NETWORKS: true or false'],
    [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL: one of fatal, error, warn, info, debug, trace, silent'],
  ])('says of %j what it expects', (env, sentence) => {
    expect(() => loadConfig(env, nowhere)).toThrow(sentence);
  });

  it.each(
    Object.keys(environment.shape).filter((name) => /_(?:TIMEOUT|DELAY|INTERVAL|LIFETIME)_/.test(name)),
  )('takes no %s that a timer or a date cannot hold', (name) => {
    for (const text of ['2147483648', '99999999999999'])
      expect(() => loadConfig({ [name]: text }, nowhere)).toThrow(`${name}: a whole number`);
  });

  it('takes every secret from a file that <NAME>_FILE names, and says what is wrong with the file', () => {
    const directory = mkdtempSync(join(tmpdir(), 'gateway-config-'));
    const secrets = {
      DATABASE_URL: 'postgresql://localhost/x',
      DATABASE_DIRECT_URL: 'postgresql://localhost:5433/x',
      ENCRYPTION_KEYS: 'k1:key',
      SETUP_TOKEN: 'x'.repeat(16),
      OIDC_CLIENT_SECRET: 'hunter2',
      SMTP_URL: 'smtp://localhost',
    };
    const { OIDC_CLIENT_SECRET: _secret, ...others } = OIDC;
    const files = Object.entries(secrets).map(([name, value]) => {
      writeFileSync(join(directory, name), `${value}\n`);
      return [`${name}_FILE`, join(directory, name)];
    });
    const byFile = Object.fromEntries(files);
    expect(loadConfig({ ...others, ...byFile }, nowhere)).toEqual(
      loadConfig({ ...others, ...secrets }, nowhere),
    );
    writeFileSync(join(directory, 'SETUP_TOKEN'), '\n');
    for (const env of [
      { SETUP_TOKEN_FILE: join(directory, 'SETUP_TOKEN') },
      { SETUP_TOKEN_FILE: join(directory, 'missing') },
      { SETUP_TOKEN_FILE: directory },
      { SETUP_TOKEN_FILE: join(directory, 'SMTP_URL'), SETUP_TOKEN: 'y'.repeat(16) },
    ]) {
      expect(() => loadConfig(env, nowhere)).toThrow(/SETUP_TOKEN_FILE/);
    }
    rmSync(directory, { recursive: true });
  });

  it('has a file form of every variable that is named like a secret', () => {
    const read: string[] = [...Object.keys(environment.shape), ...KMS_VARIABLES, ...TELEMETRY_VARIABLES];
    const named =
      /(SECRET(_ID|_ACCESS_KEY)?|TOKEN|PASSWORD|ENCRYPTION_KEYS|HEADERS|(DATABASE|DIRECT|VALKEY|NATS|SMTP)_URL)$/;
    const known: string[] = [...SECRET_VARIABLES];
    // Some services' own programs know a file by that name, and its variable is read as such.
    const hasFile = (name: string) => known.includes(name) || read.includes(`${name}_FILE`);
    expect(read.filter((name) => named.test(name) && !hasFile(name))).toEqual([]);
    expect(known.filter((name) => !named.test(name) || !read.includes(name))).toEqual([]);
  });

  it('names every fault at once', () => {
    expect(() => loadConfig({ PORT: 'x', LOG_LEVEL: 'y' }, nowhere)).toThrow(/PORT[\s\S]*LOG_LEVEL/);
  });

  it('never shows a value that may be a secret', () => {
    expect(() => loadConfig({ DATABASE_URL: 'mysql://u:hunter2@localhost/x' }, nowhere)).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('hunter2') }),
    );
  });

  it.each([
    ['2', 2],
    ['10.0.0.0/8, loopback', ['10.0.0.0/8', 'loopback']],
    ['fd00::/8,192.0.2.1', ['fd00::/8', '192.0.2.1']],
    ['false', false],
  ])('understands TRUST_PROXY=%s', (text, expected) => {
    expect(loadConfig({ TRUST_PROXY: text }, nowhere).trustProxy).toEqual(expected);
  });
});
