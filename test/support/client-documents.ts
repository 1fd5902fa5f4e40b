import { createServer } from 'node:https';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { TEST_CERTIFICATE, TEST_KEY } from './certificate.ts';
import { closeServer, listen } from './listen.ts';

type Document = {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
};

export type ClientDocuments = Awaited<ReturnType<typeof startClientDocuments>>;

/** Metadata documents of clients by https, as they stand at their makers' sites. The test's process trusts their server. */
export async function startClientDocuments() {
  const documents = new Map<string, Document>();
  let requests = 0;
  const server = createServer({ cert: TEST_CERTIFICATE, key: TEST_KEY }, (request, response) => {
    requests += 1;
    const {
      status = 200,
      headers = {},
      body,
    } = documents.get(request.url ?? '') ?? { status: 404, body: '' };
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
  });
  const trusted = getCACertificates('default');
  setDefaultCACertificates([...trusted, TEST_CERTIFICATE]);
  const origin = `https://localhost:${await listen(server)}`;

  return {
    origin,
    countRequests: () => requests,
    set: (path: string, document: Document) => void documents.set(path, document),
    /** A document as clients have it, at an address that has not been used. */
    add(members: Record<string, unknown> = {}): string {
      const path = `/clients/${crypto.randomUUID()}.json`;
      const document = {
        client_id: `${origin}${path}`,
        client_name: 'Desk Assistant',
        redirect_uris: ['http://127.0.0.1/callback'],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
        ...members,
      };
      documents.set(path, { body: JSON.stringify(document) });
      return document.client_id;
    },
    async close(): Promise<void> {
      setDefaultCACertificates(trusted);
      await closeServer(server);
    },
  };
}
