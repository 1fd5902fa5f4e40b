import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listBreakingChanges, readContract } from './compare.ts';

const widget: Schema = {
  type: 'object',
  properties: { name: { type: 'string' }, state: { type: 'string', enum: ['on', 'off'] } },
  required: ['name'],
};
type Schema = {
  type: string;
  properties: Record<string, { type: string; enum?: string[] }>;
  required: string[];
  additionalProperties?: boolean;
};
type Parts = {
  body: Schema;
  answer: Schema;
  parameter: { required: boolean; schema: { type: string; maximum: number } };
};

const json = (schema: unknown) => ({ 'application/json': { schema } });

function buildDocument(change: (parts: Parts) => void = () => undefined) {
  const parts: Parts = structuredClone({
    body: { ...widget, additionalProperties: false },
    answer: widget,
    parameter: { name: 'limit', in: 'query', required: false, schema: { type: 'integer', maximum: 200 } },
  });
  change(parts);
  return readContract({
    openapi: '3.1.1',
    info: { title: 'x', version: '1' },
    paths: {
      '/widgets': {
        post: {
          operationId: 'createWidget',
          description: String(Math.random()),
          parameters: [parts.parameter],
          requestBody: { required: true, content: json(parts.body) },
          responses: { 201: { description: 'Made', content: json({ $ref: '#/components/schemas/Widget' }) } },
        },
      },
    },
    components: { schemas: { Widget: parts.answer } },
  });
}

const breaking: Record<string, Parameters<typeof buildDocument>[0]> = {
  'a member of an answer goes': ({ answer }) => delete answer.properties.state,
  'a member of an answer gets another type': ({ answer }) => (answer.properties.name = { type: 'number' }),
  'a member of an answer need not be there any more': ({ answer }) => (answer.required = []),
  'a request takes a member no more': ({ body }) => delete body.properties.state,
  'a request needs another member': ({ body }) => body.required.push('state'),
  'a request takes a value no more': ({ body }) => (body.properties.state = { type: 'string', enum: ['on'] }),
  'a limit falls': ({ parameter }) => (parameter.schema.maximum = 100),
  'a parameter has to be given': ({ parameter }) => (parameter.required = true),
};
const harmless: Record<string, Parameters<typeof buildDocument>[0]> = {
  'only words change': () => undefined,
  'an answer has more': ({ answer }) => (answer.properties.size = { type: 'number' }),
  'an answer may have another value': ({ answer }) => answer.properties.state?.enum?.push('broken'),
  'a request may have more': ({ body }) => (body.properties.size = { type: 'number' }),
  'a limit rises': ({ parameter }) => (parameter.schema.maximum = 500),
};

for (const [title, change] of Object.entries(breaking))
  test(`breaks clients: ${title}`, () => {
    assert.notEqual(listBreakingChanges(buildDocument(), buildDocument(change)).length, 0);
  });
for (const [title, change] of Object.entries(harmless))
  test(`breaks no client: ${title}`, () => {
    assert.deepEqual(listBreakingChanges(buildDocument(), buildDocument(change)), []);
  });
test('breaks clients: an operation goes', () => {
  const gone = { ...buildDocument(), paths: {} };
  assert.notEqual(listBreakingChanges(buildDocument(), gone).length, 0);
});
