import { randomBytes } from 'node:crypto';
import { createCatalogDir } from '../../support/catalog-dir.ts';
import { callApiOk, provision, startGateway } from '../../support/gateway.ts';
import { plainProviderFile } from '../../support/held-provider.ts';
import type { Answer } from '../engine/answers.ts';
import { createRawClient } from '../engine/raw-client.ts';
import { startRecorder } from '../engine/recorder.ts';
import type { StrictRequest } from '../engine/strict-http.ts';

/** A request without what says whom it goes to and who calls. */
export type SentRequest = {
  readonly method: string;
  /** Path and query at the provider. */
  readonly target: string;
  /** Field lines, with one `Authorization: {credential}` and one `Host: {host}` among them. */
  readonly lines: readonly string[];
  /** Body as it is framed. */
  readonly body: string;
};

export type Exchange = { readonly request: StrictRequest; readonly answer: Answer };

export type DifferentialStage = Awaited<ReturnType<typeof startDifferentialStage>>;

/** A provider that records, asked by itself, and by way of a gateway that has a credential for it. */
export async function startDifferentialStage() {
  const accessToken = `access-${randomBytes(12).toString('hex')}`;
  const recorder = await startRecorder();
  const catalog = await createCatalogDir({ notes: plainProviderFile('notes', recorder.url) });
  const gateway = await startGateway({ catalogDir: catalog.path, env: { RATE_LIMIT_PROXY_PER_MINUTE: '0' } });
  const project = await provision(gateway);
  const bearer = project.apiKey;
  const { id: integrationId } = await callApiOk(gateway.url, 'POST', '/v1/integrations', {
    bearer,
    body: { serviceProvider: 'notes', clientId: 'client', clientSecret: 'secret', scopes: ['read'] },
  });
  const credentials = { accessToken };
  await callApiOk(gateway.url, 'POST', '/v1/connections', {
    bearer,
    body: { integrationId, userId: 'mia', credentials },
  });
  const token = project.userToken('mia');
  const [direct, through] = [createRawClient(recorder.port), createRawClient(gateway.port)];

  async function exchange(
    client: typeof direct,
    { method, target, lines, body }: SentRequest,
    values: { readonly prefix: string; readonly host: string; readonly credential: string },
  ): Promise<Exchange> {
    const head = [`${method} ${values.prefix}${target} HTTP/1.1`, ...lines]
      .join('\r\n')
      .replace('{host}', values.host)
      .replace('{credential}', values.credential);
    recorder.takeRequests();
    const answer = await client.ask(Buffer.from(`${head}\r\n\r\n${body}`, 'latin1'), method);
    const [request, ...more] = recorder.takeRequests();
    const faults = recorder.takeFaults();
    if (request === undefined || more.length > 0 || faults.length > 0)
      throw new Error(
        `The provider got ${more.length + 1} requests; ${faults.join()} ${answer.status} ${answer.body}`,
      );
    return { request, answer };
  }

  return {
    host: `127.0.0.1:${recorder.port}`,
    credential: `Bearer ${accessToken}`,
    answerWith: recorder.answerWith,
    askDirectly: (request: SentRequest) =>
      exchange(direct, request, {
        prefix: '',
        host: `127.0.0.1:${recorder.port}`,
        credential: `Bearer ${accessToken}`,
      }),
    askThrough: (request: SentRequest) =>
      exchange(through, request, {
        prefix: `/projects/${project.id}/proxy/notes`,
        host: `127.0.0.1:${gateway.port}`,
        credential: `Bearer ${token}`,
      }),
    async close() {
      direct.close();
      through.close();
      await gateway.stop();
      await recorder.close();
      await catalog.remove();
    },
  };
}
