import { z } from 'zod';
import { assertIfMatch, formatEtag } from '../../src/http/conditional.ts';
import { endpoint } from '../../src/http/endpoint.ts';
import { listQuery } from '../../src/lib/cursor.ts';
import { PUBLIC_URL } from './support.ts';

const widgetSchema = z.object({ id: z.uuid(), name: z.string() });

const getWidget = endpoint({
  operationId: 'getWidget',
  method: 'get',
  path: '/widgets/{id}',
  summary: 'A widget',
  tag: 'Catalog',
  principals: ['operator', 'api_key'],
  leastRole: 'anyone',
  keyScope: 'none',
  params: z.strictObject({ id: z.uuid() }),
  success: { status: 200, schema: widgetSchema, description: 'The widget' },
  errors: ['connection_not_found'],
  async handler({ params }) {
    return { body: { id: params.id, name: 'bolt', clientSecret: 'hidden-column' }, etag: formatEtag(3) };
  },
});

const patchWidget = endpoint({
  operationId: 'patchWidget',
  method: 'patch',
  path: '/widgets/{id}',
  summary: 'Change a widget',
  tag: 'Catalog',
  principals: ['operator'],
  leastRole: 'anyone',
  params: z.strictObject({ id: z.uuid() }),
  body: z.strictObject({ name: z.string().optional() }),
  success: { status: 200, schema: widgetSchema, description: 'The widget' },
  async handler({ params, body, request: incoming }) {
    assertIfMatch(incoming, formatEtag(3));
    return { body: { id: params.id, name: body.name ?? 'bolt' }, etag: formatEtag(4) };
  },
});

const listOwn = endpoint({
  operationId: 'listOwn',
  method: 'get',
  path: '/connections',
  summary: 'Own connections',
  tag: 'Catalog',
  principals: ['end_user'],
  query: z.strictObject({ ...listQuery }),
  refusals: { api_key: { code: 'user_required', detail: 'List the whole project instead.' } },
  success: { status: 200, schema: z.object({ limit: z.number() }), description: 'Connections' },
  async handler({ query }) {
    return { body: { limit: query.limit } };
  },
});

const createWidget = endpoint({
  operationId: 'createWidget',
  method: 'post',
  path: '/widgets',
  summary: 'Make a widget',
  tag: 'Catalog',
  principals: ['operator', 'api_key'],
  leastRole: 'anyone',
  keyScope: 'none',
  body: z.strictObject({
    name: z.string(),
    size: z
      .strictObject({ width: z.number(), parts: z.array(z.strictObject({ id: z.string() })).optional() })
      .optional(),
    metadata: z.record(z.string(), z.unknown()).optional(),
  }),
  success: { status: 201, schema: z.object({ echo: z.unknown() }), description: 'Made' },
  async handler({ body }) {
    return { body: { echo: body }, headers: { Location: `${PUBLIC_URL}/v1/widgets/1` } };
  },
});

const ping = endpoint({
  operationId: 'ping',
  method: 'post',
  path: '/ping',
  summary: 'Ping',
  tag: 'Catalog',
  principals: [],
  success: { status: 204, description: 'Pong' },
  async handler({ principal }) {
    if (principal !== undefined) throw new Error('no principal was expected');
    return {};
  },
});

const leaky = endpoint({
  operationId: 'leaky',
  method: 'get',
  path: '/widgets/leaky',
  summary: 'Answers what it did not declare',
  tag: 'Catalog',
  principals: [],
  success: { status: 200, schema: z.object({ name: z.string() }), description: 'A name' },
  async handler() {
    const row: { name: string } = JSON.parse('{"name": 42, "secret": "planted-secret-77"}');
    return { body: row };
  },
});

/** What the tests of HTTP call: one endpoint for each kind of declaration. */
export const endpoints = [getWidget, patchWidget, listOwn, createWidget, ping, leaky];
export const ID = '01890000-0000-7000-8000-0000000000ff';
