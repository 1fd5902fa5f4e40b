import { createServer } from 'node:http';
import { createDocuments } from '../../src/agents/documents/documents.ts';
import { readOperations } from '../../src/agents/documents/read-operations.ts';
import { countStoreTime, limitStoreTime } from '../../src/platform/postgres/store-time.ts';
import { type AgentStage, NOTES, startAgentStage } from '../support/agent-stage.ts';
import { closeServer, listen } from '../support/listen.ts';

const DOCUMENT = {
  openapi: '3.1.0',
  servers: [{ url: 'https://api.notes.example/v2' }],
  paths: {
    '/notes': {
      get: {
        operationId: 'listNotes',
        summary: 'List all notes',
        parameters: [{ $ref: '#/components/parameters/limit' }],
      },
      post: {
        operationId: 'createNote',
        summary: 'Write a note',
        requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Note' } } } },
      },
    },
    '/notes/{id}': { delete: { operationId: 'removeNote', summary: 'Throw\u0000 a note\naway' } },
  },
  components: {
    parameters: { limit: { name: 'limit', in: 'query', schema: { type: 'integer' } } },
    schemas: {
      Note: { required: ['title'], properties: { title: { type: 'string' }, tags: { type: 'array' } } },
    },
  },
};

describe('the operations of a document', () => {
  it('are those of OpenAPI 3, with the parameters that references name', () => {
    expect(readOperations(DOCUMENT)).toEqual([
      expect.objectContaining({ method: 'GET', path: '/v2/notes', parameters: ['limit (query, integer)'] }),
      expect.objectContaining({
        method: 'POST',
        parameters: ['title (body, string, required)', 'tags (body, array)'],
      }),
      expect.objectContaining({ method: 'DELETE', path: '/v2/notes/{id}', summary: 'Throw a note away' }),
    ]);
  });

  it('are those of Swagger 2 and of Google’s discovery documents', () => {
    const swagger = {
      basePath: '/api/',
      paths: {
        '/x': { post: { operationId: 'x', parameters: [{ name: 'a', in: 'formData', type: 'string' }] } },
      },
    };
    expect(readOperations(swagger)).toMatchObject([{ path: '/api/x', parameters: ['a (formData, string)'] }]);
    const discovery = {
      rootUrl: 'https://gmail.googleapis.com/',
      servicePath: 'gmail/v1/',
      schemas: { Draft: { properties: { id: { type: 'string' } } } },
      resources: {
        users: {
          resources: {
            drafts: {
              methods: {
                create: {
                  id: 'gmail.users.drafts.create',
                  httpMethod: 'POST',
                  path: 'users/{+userId}/drafts',
                  parameters: { userId: { location: 'path', type: 'string', required: true } },
                  request: { $ref: 'Draft' },
                },
              },
            },
          },
        },
      },
    };
    expect(readOperations(discovery)).toMatchObject([
      {
        method: 'POST',
        path: '/gmail/v1/users/{+userId}/drafts',
        parameters: ['userId (path, string, required)', 'id (body, string)'],
      },
    ]);
  });

  it('are none of what is no such document, and bounded in every length', () => {
    for (const odd of [
      null,
      [],
      'x',
      { paths: [1] },
      { paths: { '/a': null } },
      { rootUrl: 'x', methods: { a: 1 } },
    ])
      expect(readOperations(odd)).toEqual([]);
    const [cut] = readOperations({
      paths: { '/a': { get: { operationId: 'x'.repeat(9_000), summary: '\ud800'.repeat(9_000) } } },
    });
    expect(JSON.stringify(cut).length).toBeLessThan(2_500);
  });
});

describe('the documents', () => {
  const store: Parameters<typeof createDocuments>[0]['store'] = {
    want: async (urls) => urls.map((url) => ({ url, hasOperations: false })),
    claimDue: async () => undefined,
    replace: async () => undefined,
    noteFailure: async () => undefined,
    purgeUnwanted: async () => undefined,
    search: async () => [],
    rank: async () => [],
    describe: async () => [],
  };
  const log = { warn: () => undefined };

  it('are fetched beside the request that wants them, however long the store takes', async () => {
    const fetching = Promise.withResolvers<number | undefined>();
    const claimDue = () =>
      countStoreTime(async (leftMs) => {
        fetching.resolve(leftMs);
        return undefined;
      });
    const outbound = { request: () => Promise.reject(new Error('nothing is due')) };
    const { want } = createDocuments({ store: { ...store, claimDue }, outbound, log });
    await limitStoreTime(() => want(['https://api.example/openapi.json']));
    expect(await fetching.promise).toBeUndefined();
  });

  it('are fetched beside one whose address does not answer, which is left alone longer each time', async () => {
    const due = ['slow', 'good'].map((id) => ({
      id,
      url: `https://${id}.example/`,
      hasFailed: id === 'slow',
    }));
    const isTaken = Promise.withResolvers<void>();
    const pauses: number[] = [];
    const documents = createDocuments({
      store: {
        ...store,
        claimDue: async () => due.shift(),
        replace: async () => isTaken.resolve(),
        noteFailure: async (_id, _error, nextSeconds) => void pauses.push(nextSeconds),
      },
      outbound: {
        async request({ url }) {
          if (url.includes('slow')) {
            await isTaken.promise;
            throw new Error('no answer');
          }
          return { status: 200, headers: {}, body: Buffer.from(JSON.stringify(DOCUMENT)) };
        },
      },
      log,
    });
    await documents.chores[0]?.run(new AbortController().signal);
    expect(pauses).toEqual([86_400]);
  });
});

describe('find_operations', () => {
  let stage: AgentStage;
  let asked = 0;
  const server = createServer((_request, response) => {
    asked += 1;
    response.end(JSON.stringify(DOCUMENT));
  });

  beforeAll(async () => {
    const url = `http://127.0.0.1:${await listen(server)}/openapi.json`;
    stage = await startAgentStage({ extra: `openapi: [${url}]\n` });
  });
  afterAll(async () => {
    await stage.close();
    await closeServer(server);
  });

  async function find(query: string, given = {}) {
    const client = await stage.open(given);
    for (;;) {
      const { structuredContent } = await client.callTool('find_operations', { query });
      if (!JSON.stringify(structuredContent).includes('being fetched')) return structuredContent;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  it('fetches the document that the provider file names, once, and finds by words of name and summary', async () => {
    const found = await find('create a note');
    expect(found).toMatchObject({ source: 'documents of providers' });
    expect(found).toHaveProperty('operations.0', {
      ...{ provider: NOTES, method: 'POST', path: '/v2/notes', name: 'createNote', summary: 'Write a note' },
      parameters: ['title (body, string, required)', 'tags (body, array)'],
    });
    expect(await find('list notes')).toHaveProperty('operations.0.name', 'listNotes');
    expect(await find('remove')).toHaveProperty('operations.0.name', 'removeNote');
    expect(asked).toBe(1);
  });

  it.each([
    ['reading alone', { access: 'read' }, ['GET /v2/notes']],
    [
      'methods',
      { access: 'write', methods: ['POST', 'DELETE'] },
      ['POST /v2/notes', 'DELETE /v2/notes/{id}'],
    ],
    ['paths', { access: 'write', paths: ['/v2/notes/17'] }, ['DELETE /v2/notes/{id}']],
    ['a further host', { access: 'write', hosts: ['files'] }, []],
  ])('shows what a mandate of %s has room for, and no others', async (_what, entry, operations) => {
    const details = [{ type: 'gateway_access', provider: NOTES, ...entry }];
    const token = stage.project.userToken('mia', { claims: { authorization_details: details } });
    const found = Object(await find('notes note', { token }));
    const lines = found.operations.map(({ method, path }: Record<string, string>) => `${method} ${path}`);
    expect(lines.toSorted()).toEqual(operations.toSorted());
  });

  it('takes words for words, whatever operators of a search they hold', async () => {
    for (const query of ['notes & !(', "'; DROP TABLE api_documents; --", '<-> :*', '***'])
      expect(await find(query)).toHaveProperty('operations');
  });

  it('finds nothing for a user who has connected nothing', async () => {
    const token = stage.project.userToken('stranger');
    expect(await find('list notes', { token })).toMatchObject({ operations: [] });
  });
});
