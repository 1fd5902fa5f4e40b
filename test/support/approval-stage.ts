import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { createCatalogDir } from './catalog-dir.ts';
import { callApiOk, type Gateway, type Project } from './gateway.ts';
import { plainProviderFile } from './held-provider.ts';
import { closeServer, listen } from './listen.ts';

/** A request as the provider got it. */
export type Received = {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
};

export type RecordingProvider = {
  readonly received: Received[];
  /** Path of a directory with its catalog file, under the id `ledger`. */
  readonly catalogDir: string;
  /** What it answers with from now on. */
  answerWith(status: number): void;
  readonly close: () => Promise<void>;
};

/** A provider that keeps every request that reaches it. */
export async function startRecordingProvider(): Promise<RecordingProvider> {
  const received: Received[] = [];
  let status = 200;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      received.push({ method, url, headers, body: Buffer.concat(chunks) });
      response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
    });
  });
  const url = `http://127.0.0.1:${await listen(server)}`;
  const catalog = await createCatalogDir({ ledger: plainProviderFile('ledger', url) });
  return {
    received,
    catalogDir: catalog.path,
    answerWith: (next) => {
      status = next;
    },
    close: async () => {
      await closeServer(server);
      await catalog.remove();
    },
  };
}

/** An integration of the recording provider; its id. */
export async function addLedger({ url }: Pick<Gateway, 'url'>, project: Project): Promise<string> {
  const body = { serviceProvider: 'ledger', clientId: 'id', clientSecret: 'secret', scopes: ['read'] };
  const { id } = await callApiOk(url, 'POST', '/v1/integrations', { bearer: project.apiKey, body });
  return id;
}

export async function connectUser(
  { url }: Pick<Gateway, 'url'>,
  project: Project,
  integrationId: string,
  userId: string,
): Promise<void> {
  const body = { integrationId, userId, credentials: { accessToken: `access-${userId}` } };
  // Repeated where a gateway was killed over it.
  const headers = { 'idempotency-key': `connect-${userId}` };
  await callApiOk(url, 'POST', '/v1/connections', { bearer: project.apiKey, body, headers });
}

export const ENTRY = { type: 'gateway_access', provider: 'ledger', access: 'write', approval: 'each' };

/** A token that an agent holds. */
export function agentToken(
  project: Project,
  userId: string,
  entries: readonly object[] = [ENTRY],
  claims: Record<string, unknown> = {},
): string {
  return project.userToken(userId, { claims: { authorization_details: entries, ...claims } });
}

export type AskedCall = {
  readonly method?: string;
  readonly path?: string;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly approval?: string | undefined;
};

/** A call as an agent makes it. */
export async function callLedger(
  { url }: Pick<Gateway, 'url'>,
  project: Pick<Project, 'id'>,
  token: string,
  { method = 'POST', path = '/entries', body, headers, approval }: AskedCall = {},
) {
  const answer = await fetch(`${url}/projects/${project.id}/proxy/ledger${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      ...headers,
      ...(approval !== undefined && { 'gateway-approval': approval }),
    },
    ...(body !== undefined && { body }),
  });
  const text = await answer.text();
  const problem: { approvalId?: string; approvalUrl?: string; detail?: string; code?: string } =
    answer.headers.get('gateway-error') === null ? {} : JSON.parse(text);
  return { status: answer.status, code: answer.headers.get('gateway-error'), ...problem, text };
}

export const hashBody = (body: string | Buffer) => createHash('sha256').update(body).digest('hex');

/** Has an agent of the user ask for a call at the provider; the id of the question. */
export async function askApproval(
  { url }: Pick<Gateway, 'url'>,
  project: Project,
  { userId, provider, path = '/asked' }: { userId: string; provider: string; path?: string },
): Promise<string> {
  const token = agentToken(project, userId, [{ ...ENTRY, provider }]);
  const answer = await fetch(`${url}/projects/${project.id}/proxy/${provider}${path}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${token}` },
  });
  const { approvalId } = await answer.json();
  if (answer.status !== 403 || approvalId === undefined) throw new Error(`asked in vain: ${answer.status}`);
  return approvalId;
}
