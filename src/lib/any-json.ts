import { z } from 'zod';

type AnyJson = null | boolean | number | string | AnyJson[] | { [member: string]: AnyJson };

/** The name of its component in the OpenAPI document; clients of a release know it by that. */
export const ANY_JSON_ID = '__schema0';

/**
 * Any JSON, taken as it is: what JSON.parse and Postgres give is JSON. `z.json()` would try six types for each value in it,
 * which takes a list of connections more than a second.
 */
export const anyJson = z.custom<AnyJson>().meta({ id: ANY_JSON_ID });

/** What JSON Schema says of it. */
export function describeAnyJson() {
  const $ref = `#/$defs/${ANY_JSON_ID}`;
  return {
    anyOf: [
      ...['string', 'number', 'boolean', 'null'].map((type) => ({ type })),
      { type: 'array', items: { $ref } },
      { type: 'object', propertyNames: { type: 'string' }, additionalProperties: { $ref } },
    ],
  };
}
