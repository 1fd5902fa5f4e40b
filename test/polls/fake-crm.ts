import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { pollResource } from '../../src/catalog/schema/provider-polls.schema.ts';
import { closeServer, listen } from '../support/listen.ts';

export type Person = { id: string; name: string; createdAt: number; updatedAt: number };

export type FakeCrm = Awaited<ReturnType<typeof startFakeCrm>>;

/** What of the CRM a poll reads by time: search is sorted by one member only and ends at a ceiling, as HubSpot's does. */
export const PEOPLE = pollResource.parse({
  object: 'person',
  pageSize: 50,
  record: { id: 'id', updatedAt: { path: 'updatedAt' }, createdAt: { path: 'createdAt' } },
  changes: {
    by: 'timestamp',
    request: {
      method: 'POST',
      path: '/search',
      body: { from: '{since}', limit: '{limit}', after: '{page}' },
    },
    tie: {
      method: 'POST',
      path: '/search',
      body: { at: '{at}', aboveId: '{afterId}', limit: '{limit}', sort: 'id' },
    },
    paging: { by: 'token', path: 'next' },
    items: 'results',
    format: 'epoch-ms',
    order: 'ascending',
    overlapSeconds: 60,
  },
  list: {
    request: { path: '/people', query: { limit: '{limit}', after: '{page}' } },
    paging: { by: 'token', path: 'next' },
    items: 'results',
  },
});

/** The same by pages that are counted and without an order. */
export const PEOPLE_BY_OFFSET = pollResource.parse({
  object: 'person',
  pageSize: 50,
  record: { id: 'id', updatedAt: { path: 'updatedAt' }, createdAt: { path: 'createdAt' } },
  changes: {
    by: 'timestamp',
    request: { path: '/by-offset', query: { since: '{since}', limit: '{limit}', offset: '{page}' } },
    paging: { by: 'offset' },
    items: 'results',
    format: 'epoch-ms',
    order: 'unordered',
  },
});

/** A feed of changes behind a token. */
export const FEED = pollResource.parse({
  object: 'person',
  pageSize: 50,
  record: {
    id: 'id',
    updatedAt: { path: 'updatedAt' },
    createdAt: { path: 'createdAt' },
    deleted: { path: 'removed' },
  },
  changes: {
    by: 'token',
    request: { path: '/feed', query: { token: '{cursor}', page: '{page}', limit: '{limit}' } },
    paging: { by: 'token', path: 'nextPage' },
    items: 'results',
    token: 'nextToken',
  },
});

export const WITH_DELETED = pollResource.parse({
  ...PEOPLE,
  deleted: {
    request: { path: '/deleted', query: { since: '{since}', until: '{until}' } },
    items: 'results',
    id: 'id',
    deletedAt: { path: 'deletedAt' },
    format: 'epoch-ms',
  },
});

/** As HubSpot's search. */
const CEILING = 1_000;

/**
 * An honest small CRM: search by last change, a listing, a feed with tokens, deleted records. `faults` are statuses for
 * the next requests; `beforeAnswer` may change records between pages.
 */
export async function startFakeCrm() {
  const people = new Map<string, Person>();
  const deleted: { id: string; deletedAt: number }[] = [];
  const feed: { person: Person; removed: boolean }[] = [];
  const requests: { path: string; token: string | undefined; body: string }[] = [];
  const state = {
    clockMs: Date.UTC(2026, 0, 1),
    faults: [] as { status: number; headers?: Record<string, string>; body?: string }[],
    beforeAnswer: undefined as ((count: number) => unknown) | undefined,
    headers: {} as Record<string, string>,
    acceptedToken: undefined as string | undefined,
    forgetsTokensBefore: 0,
    expandsPages: undefined as string | undefined,
  };

  function put(id: string, change: Partial<Person> = {}): Person {
    const before = people.get(id);
    const at = change.updatedAt ?? state.clockMs;
    const person = {
      id,
      name: `Person ${id}`,
      createdAt: before?.createdAt ?? at,
      ...before,
      updatedAt: at,
      ...change,
    };
    people.set(id, person);
    feed.push({ person, removed: false });
    return person;
  }

  function remove(id: string): void {
    const person = people.get(id);
    people.delete(id);
    deleted.push({ id, deletedAt: state.clockMs });
    if (person) feed.push({ person, removed: true });
  }

  const byId = (left: Person, right: Person) => (left.id < right.id ? -1 : 1);

  function search(body: Record<string, unknown>) {
    const limit = Number(body.limit);
    if (body.sort === 'id') {
      const at = Number(body.at);
      const found = [...people.values()]
        .filter(({ id, updatedAt }) => updatedAt === at && id > String(body.aboveId ?? ''))
        .sort(byId);
      return { results: wire(found.slice(0, limit)), ...(found.length > limit && { next: 'more' }) };
    }
    const offset = Number(body.after ?? 0);
    if (offset + limit > CEILING) return undefined;
    // Ties in an order that helps nobody.
    const found = [...people.values()]
      .filter(({ updatedAt }) => updatedAt >= Number(body.from))
      .sort((left, right) => left.updatedAt - right.updatedAt || -byId(left, right));
    const next = offset + limit;
    return { results: wire(found.slice(offset, next)), ...(found.length > next && { next: String(next) }) };
  }

  function answerFor(url: URL, body: string): object | undefined {
    const query = url.searchParams;
    const limit = Number(query.get('limit'));
    switch (url.pathname) {
      case '/search':
        return search(JSON.parse(body));
      case '/people': {
        const found = [...people.values()].sort(byId).filter(({ id }) => id > (query.get('after') ?? ''));
        const results = found.slice(0, limit);
        return { results: wire(results), ...(found.length > limit && { next: results.at(-1)?.id }) };
      }
      case '/by-offset': {
        const offset = Number(query.get('offset') ?? 0);
        const found = [...people.values()]
          .filter(({ updatedAt }) => updatedAt >= Number(query.get('since')))
          .sort((left, right) => left.updatedAt - right.updatedAt || byId(left, right));
        if (query.get('order') === 'newest-first') found.reverse();
        return { results: wire(found.slice(offset, offset + limit)) };
      }
      case '/deleted':
        return {
          results: deleted
            .filter(({ deletedAt }) => deletedAt >= Number(query.get('since')))
            .map(({ id, deletedAt }) => ({ id, deletedAt: new Date(deletedAt).toISOString() })),
        };
      case '/feed': {
        const from = Number(query.get('page') ?? query.get('token') ?? 0);
        const results = feed.slice(from, from + limit);
        const end = from + results.length;
        const written = results.map(({ person, removed }) => ({
          ...wire([person])[0],
          ...(removed && { removed }),
        }));
        return {
          results: written,
          ...(end < feed.length ? { nextPage: String(end) } : { nextToken: String(end) }),
        };
      }
      default:
        return undefined;
    }
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readText(request);
    const token = request.headers.authorization?.replace('Bearer ', '');
    const url = new URL(request.url ?? '', 'http://crm');
    requests.push({ path: `${url.pathname}${url.search}`, token, body });
    await state.beforeAnswer?.(requests.length);
    const send = (status: number, content: unknown, headers: Record<string, string> = {}) => {
      const date = new Date(state.clockMs).toUTCString();
      response.writeHead(status, { 'content-type': 'application/json', date, ...state.headers, ...headers });
      response.end(typeof content === 'string' ? content : JSON.stringify(content));
    };
    const fault = state.faults.shift();
    if (fault) return send(fault.status, fault.body ?? { message: 'Later, please' }, fault.headers);
    if (state.acceptedToken !== undefined && token !== state.acceptedToken)
      return send(401, { message: 'Who is it' });
    if (
      url.pathname === '/feed' &&
      Number(url.searchParams.get('token') ?? state.forgetsTokensBefore) < state.forgetsTokensBefore
    ) {
      return send(410, { message: 'That token is too old' });
    }
    const answer = answerFor(url, body);
    if (answer === undefined) send(400, { message: 'The search has too many results' });
    else send(200, { ok: true, ...answer });
  }

  const server: Server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}`,
    people,
    put,
    remove,
    requests,
    state,
    close: () => closeServer(server),
  };
}

function wire(people: readonly Person[]) {
  return people.map(({ createdAt, updatedAt, ...rest }) => ({
    ...rest,
    createdAt: new Date(createdAt).toISOString(),
    updatedAt: new Date(updatedAt).toISOString(),
  }));
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
