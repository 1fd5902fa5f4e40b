import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { createLookup } from '../../src/platform/address-guard.ts';
import { GuardedHttpAgent, GuardedHttpsAgent } from '../../src/platform/guarded-agents.ts';
import { createHandshakeFailures } from '../../src/platform/handshake-failures.ts';

const run = promisify(execFile);

describe('an address to which the kernel refuses a connection at once', () => {
  it('fails each way out for itself, and never the process', async () => {
    const script = new URL('unreachable-process.ts', import.meta.url).pathname;
    const { stdout } = await run(process.execPath, [script]);
    const twice = 'ENETUNREACH ENETUNREACH';
    expect(stdout.trim().split('\n')).toEqual([
      `agent of calls: ${twice}`,
      `agent of calls over TLS: ${twice}`,
      `pool of calls: ${twice}`,
      `pool of calls over TLS: ${twice}`,
      `single exchange: ${twice}`,
      `single exchange over TLS: ${twice}`,
      `delivery: ${twice}`,
      'mail: false false',
      `Postgres: ${twice}`,
    ]);
  });
});

describe('a look-up for a connection', () => {
  it.each([
    ['addresses', null, [{ address: '192.0.2.1', family: 4 }]],
    ['a refusal', Object.assign(new Error('no'), { code: 'ENOTFOUND' }), []],
  ])('answers after it has returned, with %s that are known at once', async (_what, error, found) => {
    const lookup = createLookup((_name, callback) => callback(error, found), true);
    let hasAnswered = false;
    const answered = new Promise<void>((resolve) => {
      lookup('name.test', {}, () => {
        hasAnswered = true;
        resolve();
      });
    });
    expect(hasAnswered).toBe(false);
    await answered;
  });
});

describe('an agent', () => {
  it.each([
    ['http', new GuardedHttpAgent({}, true)],
    ['https', new GuardedHttpsAgent({}, true, createHandshakeFailures(Date.now))],
  ])('over %s hands a connection that cannot even begin to its request', async (_scheme, agent) => {
    const error = await new Promise((resolve) =>
      agent.createConnection({ host: 'localhost', port: 65_536 }, resolve),
    );
    expect(error).toMatchObject({ code: 'ERR_SOCKET_BAD_PORT' });
  });
});
