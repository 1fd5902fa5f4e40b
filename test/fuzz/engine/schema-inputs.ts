import fc from 'fast-check';
import { isJson, type Json, readList, resolve } from '../../support/openapi.ts';

/**
 * Values that a JSON schema takes, and now and then some that it nearly takes, as JSON text. `texts`: what stands where a
 * string does.
 */
export function valuesOfSchema(
  document: Json,
  schema: unknown,
  texts: fc.Arbitrary<string>,
  depth = 3,
): fc.Arbitrary<unknown> {
  const resolved = resolve(document, schema);
  const right = rightValues(document, resolved, texts, depth);
  const wrong = fc.constantFrom<unknown>(null, 0, -1, '', [], {}, true, 'x', ['x'], { x: 1 });
  return fc.oneof({ weight: 20, arbitrary: right }, { weight: 1, arbitrary: wrong });
}

function rightValues(
  document: Json,
  schema: Json,
  texts: fc.Arbitrary<string>,
  depth: number,
): fc.Arbitrary<unknown> {
  const within = (one: unknown) => valuesOfSchema(document, one, texts, depth - 1);
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (readList(schema.enum).length > 0) return fc.constantFrom(...readList(schema.enum));
  const choices = [...readList(schema.anyOf), ...readList(schema.oneOf)];
  if (choices.length > 0) return depth <= 0 ? within(choices[0]) : fc.oneof(...choices.map(within));
  switch (schema.type) {
    case 'object':
      return depth <= 0 ? fc.constant({}) : objects(schema, within, texts);
    case 'array':
      return depth <= 0 ? fc.constant([]) : fc.array(within(schema.items ?? {}), { maxLength: 3 });
    case 'integer':
    case 'number':
      return fc.oneof(
        fc.integer({
          min: Number(schema.minimum ?? 0),
          max: Math.max(Number(schema.minimum ?? 0), Number(schema.maximum ?? 1_000)),
        }),
        fc.constantFrom(0, -1, 1e9, 1.5),
      );
    case 'boolean':
      return fc.boolean();
    default:
      return texts;
  }
}

const PROBABLE = 3;

function objects(
  schema: Json,
  within: (schema: unknown) => fc.Arbitrary<unknown>,
  texts: fc.Arbitrary<string>,
): fc.Arbitrary<unknown> {
  const required = readList(schema.required);
  const members = Object.entries(isJson(schema.properties) ? schema.properties : {});
  const named = fc.record(
    Object.fromEntries(
      members.map(([name, member]) => [
        name,
        required.includes(name)
          ? within(member)
          : fc.option(within(member), { nil: undefined, freq: PROBABLE }),
      ]),
    ),
  );
  const more = schema.additionalProperties;
  if (!isJson(more)) return named;
  const names = fc.oneof(
    fc.constantFrom('host', 'sub', 'a', 'X-A', '__proto__', 'Authorization', 'Host'),
    texts,
  );
  return fc.dictionary(names, within(more), { maxKeys: 3 });
}
