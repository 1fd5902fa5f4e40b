import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { ANY_JSON_ID, describeAnyJson } from '../lib/any-json.ts';

/** A JSON object of the document. */
export type Json = { [member: string]: unknown };

export type SchemaCollector = {
  /** The schema of what a caller sends; unknown members are refused, as the gateway does. */
  request(schema: z.core.$ZodType): Json;
  /** The schema of what a caller gets; open to more members, since the API only ever adds. */
  response(schema: z.core.$ZodType): Json;
  readonly components: Json;
};

/**
 * Turns zod schemas into JSON Schema 2020-12, the dialect of OpenAPI 3.1. A schema with `.meta({ id })` becomes a
 * named component; where its request and response forms differ, the request form is called `<id>Input`.
 */
export function createSchemaCollector(): SchemaCollector {
  const components: Json = {};

  function convert(schema: z.core.$ZodType, io: 'input' | 'output'): Json {
    const made = z.toJSONSchema(schema, {
      io,
      target: 'draft-2020-12',
      unrepresentable: 'any',
      override: (node) => adjust(node.zodSchema, node.jsonSchema, io),
    });
    const { $defs = {}, $schema: _dialect, ...root } = made;
    const names = new Map<string, string>();
    for (const [id, definition] of Object.entries($defs)) names.set(id, nameFor(id, definition, io));
    for (const [id, definition] of Object.entries($defs))
      components[names.get(id) ?? id] = renameReferences(definition, names);
    return renameReferences(root, names);
  }

  function nameFor(id: string, definition: unknown, io: 'input' | 'output'): string {
    const same = new Map([[id, id]]);
    if (!(id in components) || isDeepStrictEqual(components[id], renameReferences(definition, same)))
      return id;
    return io === 'input' ? `${id}Input` : id;
  }

  return {
    request: (schema) => convert(schema, 'input'),
    response: (schema) => convert(schema, 'output'),
    components,
  };
}

function adjust(schema: z.core.$ZodType, made: Json, io: 'input' | 'output'): void {
  if (z.globalRegistry.get(schema)?.id === ANY_JSON_ID) Object.assign(made, describeAnyJson());
  if (schema instanceof z.core.$ZodDate) Object.assign(made, { type: 'string', format: 'date-time' });
  // The format says it; zod's patterns for these are hundreds of characters long.
  if (made.format === 'date-time' || made.format === 'uuid' || made.format === 'email') delete made.pattern;
  const isClosed = schema instanceof z.core.$ZodObject && made.additionalProperties === false;
  if (isClosed && io === 'output') delete made.additionalProperties;
}

const DEFINITION = '#/$defs/';

/** A copy whose references point at the document's components. */
function renameReferences(value: unknown, names: ReadonlyMap<string, string>): Json {
  const copied: unknown = copy(value, names);
  return isJson(copied) ? copied : {};
}

function copy(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((item) => copy(item, names));
  if (!isJson(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, member]) => !(name === 'id' && typeof member === 'string' && names.has(member)))
      .map(([name, member]) => [name, name === '$ref' ? reference(member, names) : copy(member, names)]),
  );
}

function reference(target: unknown, names: ReadonlyMap<string, string>): unknown {
  if (typeof target !== 'string' || !target.startsWith(DEFINITION)) return target;
  const id = target.slice(DEFINITION.length);
  return `#/components/schemas/${names.get(id) ?? id}`;
}

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
