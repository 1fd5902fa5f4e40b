import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { startDemo } from '../../examples/demo/start-demo.ts';
import { callApi } from '../support/gateway.ts';
import { createDataDir } from '../support/gateway-environment.ts';
import { findDemoPorts } from '../support/ports.ts';
import { authorize, complete, PROVIDER, readOutcome } from '../support/stage.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const PORTS = await findDemoPorts();

describe('npm run demo', () => {
  it('says what to open and what to call, and stops all of it at Ctrl-C with exit code 0', async () => {
    const child = spawn(process.execPath, ['scripts/require-node.mjs', 'examples/demo.ts'], { cwd: ROOT });
    const ended = new Promise<number | null>((done) => child.once('exit', (code) => done(code)));
    let said = '';
    const welcomed = new Promise<void>((done) => {
      const listen = (text: Buffer) => {
        said += text.toString();
        if (said.includes('Ctrl-C stops everything')) done();
      };
      child.stdout.on('data', listen);
      child.stderr.on('data', listen);
    });
    await Promise.race([welcomed, ended]);
    try {
      const addresses = said.match(/http:\/\/[\w.]+:\d+[^\s']*/g) ?? [];
      const app = addresses.find((address) => address.endsWith('/')) ?? '';
      expect(await (await fetch(app)).text()).toContain('Mia Torres');
      const docs = addresses.find((address) => address.endsWith('/docs')) ?? '';
      expect((await fetch(docs)).status).toBe(200);

      const [, authorization = '', url = ''] = /curl -H 'Authorization: (.+?)' \\\s+'(.+?)'/.exec(said) ?? [];
      const called = await fetch(url, { headers: { authorization } });
      // The token is good; what is missing is the account that only a person can connect.
      expect([called.status, called.headers.get('gateway-error')]).toEqual([404, 'connection_not_found']);

      child.kill('SIGINT');
      expect(await ended).toBe(0);
      expect(said).toContain('Everything is stopped.');
      for (const address of [app, docs]) await expect(fetch(address)).rejects.toThrow();
    } finally {
      child.kill('SIGKILL');
    }
  });

  it('keeps accounts from one run to the next where it is told to', async () => {
    const directory = await createDataDir();
    try {
      const first = await startDemo({ ports: PORTS, dataDirectory: directory.path });
      const connection = await connectMia(first).finally(first.close);
      const second = await startDemo({ ports: PORTS, dataDirectory: directory.path });
      try {
        const bearer = second.userToken;
        const { body } = await callApi(second.gatewayUrl, 'GET', '/v1/connections', { bearer });
        expect(body.connections).toEqual([expect.objectContaining({ id: connection.id })]);
      } finally {
        await second.close();
      }
    } finally {
      await directory.remove();
    }
  });
});

async function connectMia({
  gatewayUrl,
  crm,
  app,
  project,
  userToken,
}: Awaited<ReturnType<typeof startDemo>>) {
  const stage = {
    crm,
    gateway: { url: gatewayUrl },
    project: { ...project, id: project.projectId, userToken: () => userToken },
  };
  const session = await callApi(gatewayUrl, 'POST', '/v1/connect-sessions', {
    bearer: userToken,
    headers: { origin: app.url },
    body: { provider: PROVIDER },
  });
  const outcome = readOutcome(await authorize(stage, session.body.url));
  return (await complete(stage, 'user-mia', outcome)).body;
}
