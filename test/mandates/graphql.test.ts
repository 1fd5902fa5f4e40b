import { findGraphqlChange, findGraphqlUrlChange } from '../../src/mandates/graphql.ts';

const isRead = (value: unknown) => findGraphqlChange(value) === undefined;

describe('a body of GraphQL', () => {
  it.each<[title: string, value: unknown]>([
    ['a query', { query: '{ viewer { login } }' }],
    [
      'a named query with variables',
      { query: 'query A($id: ID!) { node(id: $id) { id } }', variables: { id: 1 } },
    ],
    ['aliases that read like mutations', { query: '{ mutation: viewer { delete: login } }' }],
    ['fragments', { query: 'query { ...f } fragment f on Query { viewer { login } }' }],
    ['several queries, one chosen', { query: 'query A { a } query B { b }', operationName: 'B' }],
    ['the word in a text and in a comment', { query: '{ a(b: "mutation { x }") } # mutation { x }' }],
    ['what clients say of themselves', { query: '{ a }', extensions: { clientLibrary: { name: 'x' } } }],
    ['null for what is left out', { query: '{ a }', variables: null, operationName: null, extensions: null }],
    ['a batch of queries', [{ query: '{ a }' }, { query: 'query { b }' }]],
  ])('reads: %s', (_title, value) => {
    expect(findGraphqlChange(value)).toBeUndefined();
  });

  it.each<[title: string, value: unknown]>([
    ['a mutation', { query: 'mutation { deleteRepository(id: 1) { id } }' }],
    ['a subscription', { query: 'subscription { a }' }],
    ['a mutation beside a query', { query: 'query A { a } mutation B { b }', operationName: 'A' }],
    ['a mutation behind an alias of a fragment', { query: 'mutation { x: ...f } fragment f on M { a }' }],
    ['a mutation after commas, a mark and comments', { query: ',,# query\n,mutation{a}' }],
    ['a byte order mark', { query: '\uFEFFmutation{a}' }],
    ['a fragment alone', { query: 'fragment f on Query { a }' }],
    ['a definition of types', { query: 'query { a } extend type Query { b: Int }' }],
    ['no GraphQL', { query: 'DROP TABLE' }],
    ['an empty document', { query: '' }],
    ['no document', { operationName: 'A' }],
    ['a document that is no text', { query: ['{ a }'] }],
    ['a stored document', { extensions: { persistedQuery: { version: 1, sha256Hash: 'x' } } }],
    ['a stored document beside a query', { query: '{ a }', extensions: { persistedQuery: {} } }],
    ['an id of a document', { query: '{ a }', id: 'x' }],
    ['a member in another case', { query: '{ a }', Query: 'mutation { a }' }],
    ['a batch with a mutation', [{ query: '{ a }' }, { query: 'mutation { a }' }]],
    ['a batch in a batch', [[{ query: '{ a }' }]]],
    ['an empty batch', []],
    ['a long batch', Array.from({ length: 11 }, () => ({ query: '{ a }' }))],
    ['a text', '{ a }'],
    ['null', null],
    ['a block string, which old parsers read otherwise', { query: '{ a(b: """" } mutation { x } #""") }' }],
    ['a line end of other parsers in a comment', { query: '{ a } #\u2028 mutation { b }' }],
    ['deep nesting', { query: '{a'.repeat(20_000) }],
    ['many tokens', { query: `{${'a '.repeat(3_000)}}` }],
  ])('counts as a change: %s', (_title, value) => {
    expect(findGraphqlChange(value)).toEqual(expect.any(String));
  });

  it('is judged by all of its operations, whichever is chosen', () => {
    for (const operationName of ['A', 'B', '', 'C'])
      expect(isRead({ query: 'query A { a } mutation B { b }', operationName })).toBe(false);
  });
});

describe('the query of a GET for GraphQL', () => {
  it.each(['', '?', '?query=%7Ba%7D', '?query=query+A{a}&operationName=A&variables=%7B%7D'])(
    'reads: %s',
    (query) => {
      expect(findGraphqlUrlChange(query)).toBeUndefined();
    },
  );

  it.each([
    '?query=mutation%7Ba%7D',
    '?query=%6Dutation%7Ba%7D',
    '?query={a}&query=mutation{a}',
    '?query={a};query=mutation{a}',
    '?query={a}&query[]=mutation{a}',
    '?query={a}&Query=mutation{a}',
    '?%71uery=mutation{a}',
    '?query={a}&extensions={"persistedQuery":{}}',
    '?documentId=1',
    '?query={a}&x=1',
    '?query=%ff',
    '?operationName=A',
  ])('counts as a change: %s', (query) => {
    expect(findGraphqlUrlChange(query)).toEqual(expect.any(String));
  });
});
