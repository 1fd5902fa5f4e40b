import type { AccessFacts, MandatedCall } from '../../src/mandates/call.ts';
import { createOperationJudge } from '../../src/mandates/described-operations.ts';
import type { MandateEntry } from '../../src/mandates/mandate.schema.ts';
import { createPart } from '../../src/mandates/read-user-mandate.ts';
import { createReadingMandate } from '../../src/mandates/reading.ts';
import type { UserMandate } from '../../src/mandates/user-mandate.ts';

const ENTRY: MandateEntry = { type: 'gateway_access', provider: 'demo', access: 'write', approval: 'none' };
const FACTS: AccessFacts = {
  reads: ['/search', '/objects/contacts/search', '/files/*:export'],
  writes: ['/purge/**'],
  batch: ['/batch'],
  graphql: ['/graphql'],
};
const ONE = '0192f0c8-0000-7000-8000-00000000000a';
const OTHER = '0192f0c8-0000-7000-8000-00000000000b';

const mandateOf = (...lists: Partial<MandateEntry>[][]): UserMandate => {
  const parts = lists.map((list, index) =>
    createPart(
      `${index}`,
      list.map((entry) => ({ ...ENTRY, ...entry })),
    ),
  );
  return { ids: parts.map(({ id }) => id), parts };
};

function judge(
  mandate: UserMandate,
  line: string,
  facts: AccessFacts = FACTS,
  connectionIds = [ONE],
): boolean {
  const [method = '', path = ''] = line.split(' ');
  return createOperationJudge(mandate, { provider: 'demo', facts, connectionIds })({ method, path });
}

describe('an operation that a document describes', () => {
  it.each<[entry: Partial<MandateEntry>, shown: string[], hidden: string[]]>([
    [{}, ['DELETE /a', 'POST /batch/x', 'GET /purge/1'], ['POST /batch', 'POST /BATCH/']],
    [
      { access: 'read' },
      [
        'GET /a',
        'HEAD /a/{id}',
        'POST /search',
        'POST /objects/{type}/search',
        'POST /graphql',
        'POST /files/{id}',
      ],
      [
        'POST /a',
        'DELETE /search',
        'GET /purge/{id}',
        'GET /Purge',
        'POST /objects/{type}/searches',
        'PATCH /search',
      ],
    ],
    [{ methods: ['PATCH'] }, ['PATCH /a'], ['GET /a', 'POST /search']],
    [
      { paths: ['/v3/widgets1', '/v3/*/items/**'] },
      [
        'GET /v3/widgets1',
        'GET /v3/{kind}',
        'GET /v3/widgets{n}',
        'GET /{+name}',
        'PUT /v3/{a}/items',
        'GET /v3/x/items/y/z',
      ],
      [
        'GET /v3/widgets2',
        'GET /v3',
        'GET /v3/{kind}/other',
        'GET /v3/x{n}',
        'GET /v3/widgets1/',
        'GET /w/{+name}',
      ],
    ],
    [{ paths: ['/batch'] }, ['POST /batch', 'POST /{anything}'], ['POST /batch/1']],
    [{ hosts: ['api'] }, ['GET /a'], []],
    [{ hosts: ['content'] }, [], ['GET /a']],
    [{ provider: 'other' }, [], ['GET /a']],
  ])('is shown where an entry %j may allow a call of it', (entry, shown, hidden) => {
    const mandate = mandateOf([entry]);
    expect(shown.filter((line) => !judge(mandate, line))).toEqual([]);
    expect(hidden.filter((line) => judge(mandate, line))).toEqual([]);
  });

  it('needs one connection by which every part allows it', () => {
    const mandate = mandateOf(
      [{ connectionId: ONE }, { connectionId: OTHER.toUpperCase(), methods: ['GET'] }],
      [{ connectionId: OTHER }],
    );
    const both = (line: string) => judge(mandate, line, FACTS, [ONE, OTHER]);
    expect([both('GET /a'), both('POST /a'), judge(mandate, 'GET /a')]).toEqual([true, false, false]);
  });

  it('is shown to a client whose person has allowed reading alone where it may read', () => {
    const mandate = createReadingMandate('reading');
    expect([judge(mandate, 'GET /a'), judge(mandate, 'POST /a'), judge(mandate, 'POST /search')]).toEqual([
      true,
      false,
      true,
    ]);
  });

  it('is hidden nowhere where the rule of calls allows one of its paths', () => {
    const templates = [
      '/{a}',
      '/search',
      '/objects/{a}/search',
      '/files/{a}:export',
      '/{+a}',
      '/purge/{a}',
      '/x{a}y/{b}',
      '/batch',
    ];
    const values = ['search', 'contacts', 'batch', '1', 'y', 'files/1:export', 'purge/2', 'graphql'];
    const patterns = [
      undefined,
      ['/search'],
      ['/*'],
      ['/**'],
      ['/objects/contacts/*'],
      ['/x1y/*'],
      ['/batch'],
      ['/files/*'],
    ];
    const hidden: string[] = [];
    for (const template of templates)
      for (const [a, b] of values.flatMap((one) => values.map((two) => [one, two] as const))) {
        if (a.includes('/') && !template.includes('{+')) continue;
        const rawPath = template.replace(/\{\+?a\}/, a).replace('{b}', b.replaceAll('/', ''));
        for (const access of ['read', 'write'] as const)
          for (const paths of patterns)
            for (const method of ['GET', 'POST', 'DELETE']) {
              const mandate = mandateOf([{ access, ...(paths && { paths }) }]);
              const isAllowed = mandate.parts[0]?.mandate.decide(callOf(method, rawPath)).isAllowed;
              if (isAllowed && !judge(mandate, `${method} ${template}`))
                hidden.push(`${method} ${template}: ${rawPath}`);
            }
      }
    expect([...new Set(hidden)]).toEqual([]);
  });
});

function callOf(method: string, rawPath: string): MandatedCall {
  return {
    ...{ provider: 'demo', connectionId: ONE, host: undefined, method, rawPath, rawQuery: '' },
    ...{ rawHeaders: [], hasBody: false, facts: FACTS },
  };
}
