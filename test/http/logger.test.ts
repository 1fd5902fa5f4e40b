import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describeError, safeFields, scrub } from '../../src/platform/log-fields.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { until } from '../support/until.ts';
import { captureLog } from './support.ts';

const CANARY = 'planted9K2x7Q4m1Z8v5B3n6';

describe('a field', () => {
  it.each([
    ['another letter case', { Authorization: CANARY, ACCESS_TOKEN: CANARY }],
    ['deep nesting', { a: { b: { c: { password: CANARY } } } }],
    ['beyond the depth', { a: { b: { c: { d: { e: { f: CANARY } } } } } }],
    ['an array', { list: [CANARY, { client_secret: CANARY }] }],
    ['an object under a secret name', { headers: { host: CANARY }, credentials: { user: CANARY } }],
    ['a text', { note: `token is ${CANARY} ok` }],
    ['a URL', { url: `https://x.example/p?code=abc&state=${CANARY}`, other: `postgres://u:${CANARY}@h/db` }],
    ['bytes', { raw: Buffer.from(CANARY) }],
    ['a cause of a cause', { err: new Error('a', { cause: new Error('b', { cause: new Error(CANARY) }) }) }],
    ['a member of an error', { err: Object.assign(new Error('a'), { response: { body: CANARY } }) }],
    ['an error in place of fields', new Error(`a ${CANARY}`)],
    ['a JWT', { jws: `eyJhbGciOiJFUzI1NiJ9.${CANARY}.${CANARY}` }],
  ])('with a secret in %s is written without it', (_where, fields) => {
    const { log, text } = captureLog();
    log.error(fields, 'failed');
    log.warn(`failed with ${CANARY}`);
    expect(text()).toContain('failed');
    expect(text()).not.toContain(CANARY);
  });

  it('that helps is left alone', () => {
    const fields = {
      requestId: '01890000-0000-7000-8000-000000000001',
      status: 503,
      provider: 'hubspot',
      tokenExpiresAt: new Date(0),
      apiKeyId: '01890000-0000-7000-8000-000000000002',
      applied: ['0001_foundation.ts', '0007_delivered_codes_longer.ts'],
      isRotated: true,
    };
    expect(safeFields(fields)).toEqual(fields);
  });
});

describe('a text', () => {
  it.each([
    ['connect ECONNREFUSED 127.0.0.1:5432', 'connect ECONNREFUSED 127.0.0.1:5432'],
    ['duplicate key value violates "idempotency_keys_created_idx"', undefined],
    ['no 01890000-0000-7000-8000-000000000001 here', undefined],
    ['GET https://x.example/a/b?c=d failed', 'GET https://x.example/a/b?[removed] failed'],
    ['Authorization: Bearer abc.def-12', 'Authorization: Bearer [removed]'],
  ])('%s', (text, scrubbed) => {
    expect(scrub(text)).toBe(scrubbed ?? text);
  });
});

describe('an error', () => {
  it('keeps its type, code, message and frames', () => {
    const described = describeError(Object.assign(new TypeError('bad thing'), { code: 'E_BAD' }));
    expect(described).toMatchObject({ type: 'TypeError', code: 'E_BAD', message: 'bad thing' });
    expect(described.stack).toContain('logger.test');
  });

  it('that is its own cause is described to a bounded depth', () => {
    const error = new Error('round');
    error.cause = error;
    expect(JSON.stringify(describeError(error)).match(/"message":"round"/g)).toHaveLength(5);
  });
});

describe('a request line', () => {
  it('is the JSON that any other line is, whatever its fields hold', () => {
    const { log, lines } = captureLog();
    const line = {
      requestId: 'r',
      method: 'GET',
      route: '/"\\\n\u2028ü\ud800',
      status: 200,
      durationMs: 0.5,
    };
    log.request({ ...line, provider: undefined });
    log.info(line, 'request');
    const [quick, usual] = lines.map(({ time, ...rest }) => ({ ...rest, time: typeof time }));
    expect(quick).toEqual(usual);
    expect(Math.abs(Date.parse(String(lines[0]?.time)) - Date.parse(String(lines[1]?.time)))).toBeLessThan(
      60_000,
    );
  });

  it('is left out below the level', () => {
    const texts: string[] = [];
    const log = createLogger({ level: 'warn', destination: { write: (text) => texts.push(text) } });
    log.request({ requestId: 'r', method: 'GET', route: '/', status: 200, durationMs: 1 });
    expect(texts).toEqual([]);
  });
});

describe('a logger on standard output', () => {
  it('has written every line when the process exits', async () => {
    const url = JSON.stringify(join(import.meta.dirname, '../../src/platform/logger.ts'));
    const program = `const { createLogger } = await import(${url});
      const log = createLogger({ level: 'info' });
      for (let i = 0; i < 3000; i += 1) log.request({ requestId: String(i), method: 'GET', route: '/', status: 200, durationMs: 1 });
      log.debug('not this'); log.info('the last'); process.exit(0);`;
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '--eval', program],
      {
        maxBuffer: 10_000_000,
      },
    );
    const lines = stdout.trim().split('\n');
    expect(lines).toHaveLength(3001);
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ level: 'info', msg: 'the last' });
  });
});

describe('what callers bring about', () => {
  const failed = { requestId: 'r', method: 'GET', route: '/', status: 503, durationMs: 1 };

  it('fills the log with ten warnings of a code in a second, and a count of the others', () => {
    const { log, lines } = captureLog();
    for (let count = 0; count < 1_000; count += 1) log.request({ ...failed, errorCode: 'overloaded' });
    log.request({ ...failed, errorCode: 'store_unavailable' });
    log.flush();
    const warnings = lines.filter(({ level }) => level === 'warn');
    expect(
      warnings.filter(({ errorCode, msg }) => msg === 'request' && errorCode === 'overloaded'),
    ).toHaveLength(10);
    expect(warnings).toContainEqual(
      expect.objectContaining({ errorCode: 'store_unavailable', msg: 'request' }),
    );
    expect(warnings.at(-1)).toMatchObject({
      errorCode: 'overloaded',
      requests: 990,
      msg: 'further requests failed',
    });
    // Each request keeps a line of its own.
    expect(lines.filter(({ msg }) => msg === 'request')).toHaveLength(1_001);
  });

  it.each([
    [{ status: 505, errorCode: 'http_version_not_supported' }, 'info'],
    [{ status: 508, errorCode: 'loop_detected', provider: 'demo' }, 'info'],
    [{ status: 500, provider: 'demo' }, 'info'],
    [{ status: 502, provider: 'demo', errorCode: 'upstream_unreachable' }, 'warn'],
    [{ status: 500, errorCode: 'internal_error' }, 'warn'],
    [{ status: 500 }, 'warn'],
  ])('is never an error line of a request: %o', (fields, level) => {
    const { log, lines } = captureLog();
    log.request({ ...failed, ...fields });
    expect(lines).toMatchObject([{ level }]);
  });

  it.each(['warn', 'error'] as const)(
    'repeats no sentence more than fifty times a second: %s',
    async (level) => {
      const { log, lines } = captureLog();
      for (let count = 0; count < 80; count += 1) log[level]({ count }, 'a provider does not answer');
      log[level]('another sentence');
      expect(lines).toHaveLength(51);
      await until(() => lines.length > 51);
      expect(lines.at(-1)).toMatchObject({
        level,
        lines: 30,
        of: 'a provider does not answer',
        msg: 'further lines were left out',
      });
      log[level]({ count: 81 }, 'a provider does not answer');
      expect(lines).toHaveLength(53);
    },
  );
});
