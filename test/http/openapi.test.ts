import { z } from 'zod';
import { endpoint } from '../../src/http/endpoint.ts';
import { buildOpenApiDocument } from '../../src/http/openapi.ts';
import type { Json } from '../../src/http/openapi-schemas.ts';
import { listQuery } from '../../src/lib/cursor.ts';
import { PUBLIC_URL } from './support.ts';

const part = z.strictObject({ id: z.uuid(), size: z.number().default(1) }).meta({ id: 'Part' });
const widget = z
  .object({ id: z.uuid(), parts: z.array(part), madeAt: z.iso.datetime(), note: z.string().nullable() })
  .meta({ id: 'Widget', description: 'A widget.' });

const endpoints = [
  endpoint({
    operationId: 'listWidgets',
    method: 'get',
    path: '/projects/{projectId}/widgets',
    summary: 'Widgets',
    tag: 'Catalog',
    principals: ['operator', 'api_key'],
    leastRole: 'anyone',
    keyScope: 'connections:read',
    params: z.strictObject({ projectId: z.uuid() }),
    query: z.strictObject({ ...listQuery }),
    success: {
      status: 200,
      schema: z.object({ widgets: z.array(widget), nextCursor: z.string().nullable() }),
      description: 'A page',
    },
    errors: ['project_not_found'],
    responseExample: { widgets: [], nextCursor: null },
    async handler() {
      return { body: { widgets: [], nextCursor: null } };
    },
  }),
  endpoint({
    operationId: 'createWidget',
    method: 'post',
    path: '/projects/{projectId}/widgets',
    summary: 'Make one',
    tag: 'Catalog',
    principals: ['operator'],
    leastRole: 'anyone',
    params: z.strictObject({ projectId: z.uuid() }),
    body: z.strictObject({ part, metadata: z.looseObject({}).optional() }),
    success: { status: 201, schema: widget, description: 'Made' },
    errors: ['provider_exists'],
    async handler() {
      throw new Error('not called');
    },
  }),
  endpoint({
    operationId: 'getWidget',
    method: 'get',
    path: '/projects/{projectId}/widgets/{id}',
    summary: 'One',
    tag: 'Catalog',
    principals: ['operator'],
    leastRole: 'anyone',
    params: z.strictObject({ projectId: z.uuid(), id: z.uuid() }),
    success: { status: 200, schema: widget, description: 'The widget' },
    async handler() {
      throw new Error('not called');
    },
  }),
  ...(['patch', 'delete'] as const).map((method) =>
    endpoint({
      operationId: `${method}Widget`,
      method,
      path: '/projects/{projectId}/widgets/{id}',
      summary: 'Change one',
      tag: 'Catalog',
      principals: ['operator'],
      leastRole: 'anyone',
      params: z.strictObject({ projectId: z.uuid(), id: z.uuid() }),
      success: { status: 200, schema: widget, description: 'Changed' },
      errors: ['precondition_failed'],
      async handler() {
        throw new Error('not called');
      },
    }),
  ),
  endpoint({
    operationId: 'patchMember',
    method: 'patch',
    path: '/members/{id}',
    summary: 'A member',
    tag: 'Calls',
    principals: ['operator'],
    leastRole: 'anyone',
    params: z.strictObject({ id: z.uuid() }),
    success: { status: 201, schema: widget, description: 'Changed' },
    async handler() {
      throw new Error('not called');
    },
  }),
  endpoint({
    operationId: 'ping',
    method: 'post',
    path: '/ping',
    summary: 'Ping',
    tag: 'Calls',
    principals: [],
    success: { status: 204, description: 'Pong' },
    async handler() {
      return {};
    },
  }),
];

const document = await buildOpenApiDocument(endpoints, { publicUrl: PUBLIC_URL, version: '1.2.3' });

/** The member at a path of names; fails the test when there is none. */
function at(...names: string[]): unknown {
  return names.reduce<unknown>((value, name) => {
    expect(value).toHaveProperty([name]);
    return (value as Json)[name];
  }, document);
}

describe('the OpenAPI document', () => {
  it('is OpenAPI 3.1 at the public address', () => {
    expect(document).toMatchObject({
      openapi: '3.1.1',
      info: { title: 'Integration Gateway', version: '1.2.3' },
      servers: [{ url: `${PUBLIC_URL}/v1` }],
      tags: [{ name: 'Catalog' }, { name: 'Calls' }],
    });
  });

  it('has every operation with its parameters', () => {
    const list = at('paths', '/projects/{projectId}/widgets', 'get');
    expect(list).toMatchObject({
      operationId: 'listWidgets',
      parameters: [
        { name: 'projectId', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } },
        {
          name: 'limit',
          in: 'query',
          required: false,
          schema: { type: 'integer', minimum: 1, maximum: 200, default: 50 },
        },
        { name: 'cursor', in: 'query', required: false, schema: { type: 'string' } },
      ],
      security: [{ operatorToken: [] }, { operatorSession: [] }, { apiKey: ['connections:read'] }],
    });
    expect(at('paths', '/ping', 'post')).toMatchObject({
      security: [],
      responses: { 204: { description: 'Pong' } },
    });
    expect(at('paths', '/projects/{projectId}/widgets', 'post', 'parameters')).toContainEqual(
      expect.objectContaining({ name: 'Idempotency-Key', in: 'header' }),
    );
  });

  it('tells of validators where there are any, and of conditions where they count', () => {
    const one = '/projects/{projectId}/widgets/{id}';
    expect(at('paths', one, 'get', 'responses')).toMatchObject({
      200: { headers: { ETag: expect.anything() } },
      304: { headers: { ETag: expect.anything() } },
    });
    const named = (path: string, method: string) =>
      (at('paths', path, method, 'parameters') as { name: string }[]).map(({ name }) => name);
    expect(named(one, 'get')).toContain('If-None-Match');
    expect(named(one, 'patch')).toContain('If-Match');
    expect(named(one, 'delete')).toContain('If-Match');
    expect(named('/members/{id}', 'patch')).toEqual(['id']);
    expect(at('paths', '/members/{id}', 'patch', 'responses', '201')).not.toHaveProperty('headers.ETag');
  });

  it('promises a Location of all that is made', () => {
    const headersOf = (path: string, method: string, status: string) =>
      Object.keys(at('paths', path, method, 'responses', status, 'headers') as object);
    expect(headersOf('/projects/{projectId}/widgets', 'post', '201')).toContain('Location');
    expect(headersOf('/members/{id}', 'patch', '201')).toContain('Location');
  });

  it('tells where a caller stands with its rate limit', () => {
    expect(at('paths', '/ping', 'post', 'responses')).toMatchObject({
      204: { headers: { RateLimit: expect.anything(), 'RateLimit-Policy': expect.anything() } },
      429: { headers: { 'Retry-After': expect.anything() } },
      503: { description: expect.stringContaining('store_unavailable') },
    });
  });

  it('names schemas, and keeps what is sent and what is answered apart where they differ', () => {
    const schemas = at('components', 'schemas');
    expect(Object.keys(schemas as object).sort()).toEqual(['Part', 'PartInput', 'Problem', 'Widget']);
    expect(schemas).toMatchObject({
      Part: { required: ['id', 'size'] },
      PartInput: { required: ['id'], additionalProperties: false },
      Widget: { properties: { parts: { items: { $ref: '#/components/schemas/Part' } } } },
    });
    expect(at('components', 'schemas', 'Part')).not.toHaveProperty('additionalProperties');
  });

  it('says that requests refuse unknown members, except where they are free', () => {
    const schema = at(
      'paths',
      '/projects/{projectId}/widgets',
      'post',
      'requestBody',
      'content',
      'application/json',
      'schema',
    );
    expect(schema).toMatchObject({
      additionalProperties: false,
      properties: {
        part: { $ref: '#/components/schemas/PartInput' },
        metadata: { additionalProperties: {} },
      },
    });
  });

  it('lists every problem that an operation may answer', () => {
    const responses = at('paths', '/projects/{projectId}/widgets', 'post', 'responses');
    expect(Object.keys(responses as object)).toEqual([
      '201',
      '400',
      '401',
      '403',
      '404',
      '409',
      '413',
      '415',
      '422',
      '429',
      '500',
      '503',
    ]);
    expect(responses).toMatchObject({
      409: {
        description: expect.stringMatching(/idempotency_in_progress.*provider_exists/s),
        content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    });
  });

  it('has no reference that leads nowhere', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)];
    expect(references.length).toBeGreaterThan(5);
    for (const [, name = ''] of references) at('components', 'schemas', name);
    expect(JSON.stringify(document)).not.toContain('$defs');
  });

  it('shows declared examples', () => {
    const content = at(
      'paths',
      '/projects/{projectId}/widgets',
      'get',
      'responses',
      '200',
      'content',
      'application/json',
    );
    expect(content).toMatchObject({ example: { widgets: [], nextCursor: null } });
  });
});
