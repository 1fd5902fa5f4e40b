import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { closeServer, listen } from './listen.ts';

export type JournalEvent = Readonly<Record<string, unknown>>;

type Subscription = { subscriptionType: string; portalId: number; objectTypeId: string };

/**
 * A journal as HubSpot's: per account, behind a token of the application, with entries in files at another origin that
 * are there for who has the address.
 */
export async function startJournalServer() {
  const files = new Map<string, { offset: string; events: JournalEvent[] }[]>();
  const requests: { method: string; path: string; authorization: string | undefined; body: string }[] = [];
  const fileRequests: { path: string; headers: IncomingMessage['headers'] }[] = [];
  const subscriptions: Subscription[] = [];
  const state = {
    tokens: 0,
    tokenRefusal: undefined as object | undefined,
    /** Files that answer as if their address had expired. */
    expiredAddresses: 0,
    /** Where the address of the next file leads, instead of to the file. */
    fileAddress: undefined as string | undefined,
    faults: [] as { status: number; body: string }[],
    beforeFile: undefined as (() => unknown) | undefined,
  };

  const filesOf = (portalId: string) => files.get(portalId) ?? [];

  /** Adds a file with these events; answers its offset. */
  function publish(portalId: string, events: JournalEvent[]): string {
    const known = filesOf(portalId);
    const offset = `offset-${portalId}-${known.length + 1}`;
    files.set(portalId, [...known, { offset, events }]);
    return offset;
  }

  function entryAt(portalId: string, index: number): object | undefined {
    const file = filesOf(portalId)[index];
    if (file === undefined) return undefined;
    const url = state.fileAddress ?? `${filesUrl}/journal/${file.offset}.json?signature=secret-of-the-file`;
    return { url, expiresAt: '2026-11-22T12:00:00Z', currentOffset: file.offset };
  }

  function answerJournal(url: URL): { status: number; content?: unknown } {
    const portalId = url.searchParams.get('installPortalId') ?? '';
    const all = filesOf(portalId);
    const [, place = '', after] =
      /\/2026-03\/(earliest|latest|offset\/([^/]+)\/next)$/.exec(url.pathname) ?? [];
    const begin = all.findIndex(({ events }) => events.length > 0);
    let index = place === 'latest' ? all.length - 1 : Math.max(0, begin);
    if (after !== undefined) {
      const found = all.findIndex(({ offset }) => offset === after);
      if (found < 0 || all[found]?.events.length === 0) {
        return { status: 404, content: { message: 'That offset is gone' } };
      }
      index = found + 1;
    }
    const content = entryAt(portalId, index);
    return content === undefined ? { status: 204 } : { status: 200, content };
  }

  function answer(method: string, url: URL, body: string): { status: number; content?: unknown } {
    if (url.pathname === '/token') {
      if (state.tokenRefusal !== undefined) return { status: 400, content: state.tokenRefusal };
      state.tokens += 1;
      return { status: 200, content: { access_token: `app-token-${state.tokens}`, expires_in: 1800 } };
    }
    const fault = state.faults.shift();
    if (fault !== undefined) return { status: fault.status, content: JSON.parse(fault.body) };
    if (url.pathname.startsWith('/webhooks-journal/journal-local/')) return answerJournal(url);
    if (url.pathname !== '/webhooks-journal/subscriptions/2026-03') return { status: 404, content: {} };
    if (method === 'GET') return { status: 200, content: { results: subscriptions } };
    subscriptions.push(JSON.parse(body));
    return { status: 201, content: {} };
  }

  const api = createServer((request, response) => {
    readText(request)
      .then((body) => {
        const { method = '', url: path = '', headers } = request;
        requests.push({ method, path, authorization: headers.authorization, body });
        const { status, content } = answer(method, new URL(path, 'http://api'), body);
        send(response, status, content);
      })
      .catch(() => response.destroy());
  });

  async function answerFile(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '';
    fileRequests.push({ path, headers: request.headers });
    await state.beforeFile?.();
    if (state.expiredAddresses > 0) {
      state.expiredAddresses -= 1;
      return send(response, 403, { message: 'Request has expired' });
    }
    const offset = /^\/journal\/(.+)\.json\?/.exec(path)?.[1];
    const file = [...files.values()].flat().find((one) => one.offset === offset);
    send(response, file === undefined ? 404 : 200, {
      offset,
      publishedAt: '2026-11-22T10:00:00Z',
      journalEvents: file?.events,
    });
  }

  const fileServer = createServer((request, response) => {
    answerFile(request, response).catch(() => response.destroy());
  });
  const url = `http://127.0.0.1:${await listen(api)}`;
  const filesUrl = `http://127.0.0.1:${await listen(fileServer)}`;
  return {
    url,
    filesUrl,
    requests,
    fileRequests,
    subscriptions,
    state,
    publish,
    /** The oldest `count` files of an account are no longer kept. */
    forget(portalId: string, count: number): void {
      for (const file of filesOf(portalId).slice(0, count)) file.events = [];
    },
    pathsAsked: () => requests.map(({ method, path }) => `${method} ${path}`),
    close: async () => {
      await Promise.all([api, fileServer].map((server: Server) => closeServer(server)));
    },
  };
}

function send(response: ServerResponse, status: number, content: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(content === undefined ? undefined : JSON.stringify(content));
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
