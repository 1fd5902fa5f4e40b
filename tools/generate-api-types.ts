import openapiTS, { astToString } from 'openapi-typescript';

const PREAMBLE = '// Made from docs/openapi.json by `npm run generate`. Do not edit.\n\n';

type Operation = {
  readonly parameters?: readonly { readonly name: string }[];
  readonly responses: Readonly<Record<string, { readonly headers?: unknown }>>;
};
type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
};

/** The types of the management API as TypeScript: `paths`, `operations`, and one type for each named schema. */
export async function generateApiTypes(documentText: string): Promise<string> {
  const document: Document = JSON.parse(documentText);
  const paths = mapValues(document.paths, (operations) => mapValues(operations, whatCallersSee));
  const schemas = mapValues(document.components.schemas, (schema, name) => (isAnyJson(name) ? {} : schema));
  const components = { ...document.components, schemas };
  // What the gateway sends is not called; the types of its bodies are among the schemas.
  const nodes = await openapiTS(JSON.stringify({ ...document, webhooks: undefined, paths, components }), {
    rootTypes: true,
    rootTypesNoSchemaPrefix: true,
  });
  return PREAMBLE + astToString(nodes);
}

/**
 * The client throws one kind of error for every refusal, reads the common headers itself, and asks for no page twice.
 * Without what belongs to these the types are less than half as long.
 */
function whatCallersSee({ parameters = [], responses, ...operation }: Operation): Operation {
  const successes = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  return {
    ...operation,
    parameters: parameters.filter(({ name }) => name !== 'If-None-Match'),
    responses: mapValues(Object.fromEntries(successes), ({ headers, ...response }) => response),
  };
}

/** zod numbers the schemas without a name. Ours are JSON values inside JSON values, which an interface cannot express. */
function isAnyJson(name: string): boolean {
  return name.startsWith('__schema');
}

function mapValues<T, U>(
  record: Readonly<Record<string, T>>,
  map: (value: T, name: string) => U,
): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value, name)]));
}
