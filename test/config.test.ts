import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigurationError, loadConfig } from '../src/config.ts';

const nowhere = '/nonexistent';

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
    ['DATABASE_URL', { DATABASE_URL: 'mysql://localhost/x' }],
    ['DATABASE_DIRECT_URL', { DATABASE_DIRECT_URL: 'mysql://localhost/x' }],
    ['DATABASE_URL', { DATABASE_DIRECT_URL: 'postgresql://localhost/x' }],
    ['ENCRYPTION_KEYS', { DATABASE_URL: 'postgresql://localhost/x' }],
    ['SETUP_TOKEN', { SETUP_TOKEN: 'short' }],
    ['ALLOW_PRIVATE_NETWORKS', { ALLOW_PRIVATE_NETWORKS: 'yes' }],
    ['WEB_CONCURRENCY', { WEB_CONCURRENCY: '0' }],
    ['TRUST_PROXY', { TRUST_PROXY: 'everybody' }],
    ['TRUST_PROXY', { TRUST_PROXY: '10.0.0.0/99' }],
    ['TRUST_PROXY', { TRUST_PROXY: '1.2.3' }],
    ['CATALOG_DIR', { CATALOG_DIR: '/nonexistent/providers' }],
    ['LOG_LEVEL', { LOG_LEVEL: 'loud' }],
  ])('names %s when it refuses %j', (name, env) => {
    expect(() => loadConfig(env, nowhere)).toThrow(ConfigurationError);
    expect(() => loadConfig(env, nowhere)).toThrow(name);
  });

  it.each([
    [{ PORT: 'http' }, 'PORT: a whole number from 0 to 65535'],
    [{ PORT: '1e3' }, 'PORT: a whole number from 0 to 65535'],
    [{ WEB_CONCURRENCY: '0' }, 'WEB_CONCURRENCY: a whole number, 1 or more'],
    [{ ALLOW_PRIVATE_NETWORKS: 'yes' }, 'ALLOW_PRIVATE_NETWORKS: true or false'],
    [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL: one of fatal, error, warn, info, debug, trace, silent'],
  ])('says of %j what it expects', (env, sentence) => {
    expect(() => loadConfig(env, nowhere)).toThrow(sentence);
  });

  it('names every fault at once', () => {
    expect(() => loadConfig({ PORT: 'x', LOG_LEVEL: 'y' }, nowhere)).toThrow(/PORT[\s\S]*LOG_LEVEL/);
  });

  it('never shows a value that may be a secret', () => {
    expect(() => loadConfig({ SETUP_TOKEN: 'hunter2' }, nowhere)).toThrow(
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
