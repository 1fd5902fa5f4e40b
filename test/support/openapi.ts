import { callApiOk } from './gateway.ts';

/** A JSON object of the document. */
export type Json = { readonly [member: string]: unknown };

/** One operation of the served document, with all that a test needs to call it. */
export type Operation = {
  readonly operationId: string;
  readonly method: string;
  /** With `{name}` for parameters, from the root of the gateway. */
  readonly path: string;
  readonly hasQuery: boolean;
  /** Names of the security schemes that each alone suffice; none where no credentials are needed. */
  readonly schemes: readonly string[];
  /** A body that its schema takes, or undefined where there is none. */
  readonly body: Json | undefined;
};

/** Every operation of the document that the gateway serves about itself. */
export async function readOperations(gatewayUrl: string): Promise<Operation[]> {
  const document = await callApiOk(gatewayUrl, 'GET', '/openapi.json');
  const prefix = new URL(document.servers?.[0]?.url ?? gatewayUrl, gatewayUrl).pathname.replace(/\/$/, '');
  return Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => {
      if (!isJson(operation) || !['get', 'post', 'put', 'patch', 'delete'].includes(method)) return [];
      return [toOperation(document, method.toUpperCase(), `${prefix}${path}`, operation)];
    }),
  );
}

function toOperation(document: Json, method: string, path: string, operation: Json): Operation {
  const parameters = readList(operation.parameters).filter(isJson);
  const content = readMember(readMember(operation.requestBody, 'content'), 'application/json');
  const schema = readMember(content, 'schema');
  const example = readMember(content, 'example');
  const sampled = schema === undefined ? undefined : (example ?? sample(document, schema));
  return {
    operationId: String(operation.operationId),
    method,
    path,
    hasQuery: parameters.some((parameter) => parameter.in === 'query'),
    schemes: readList(operation.security)
      .filter(isJson)
      .flatMap((requirement) => Object.keys(requirement)),
    body: isJson(sampled) ? sampled : undefined,
  };
}

/** A value that the schema takes, with every member that a reference to something of the gateway could stand in. */
export function sample(document: Json, schema: unknown): unknown {
  if (!isJson(schema)) return 'x';
  if (typeof schema.$ref === 'string') return sample(document, resolve(document, schema));
  if (readList(schema.examples).length > 0) return readList(schema.examples)[0];
  if (schema.const !== undefined) return schema.const;
  if (readList(schema.enum).length > 0) return readList(schema.enum)[0];
  const choices = [...readList(schema.anyOf), ...readList(schema.oneOf)];
  if (choices.length > 0) return sample(document, choices[0]);
  switch (schema.type) {
    case 'object':
      return sampleObject(document, schema);
    case 'array':
      return [];
    case 'integer':
    case 'number':
      return Math.max(60, Number(schema.minimum ?? 0));
    case 'boolean':
      return true;
    default:
      return sampleString(schema);
  }
}

function sampleObject(document: Json, schema: Json): Json {
  const required = readList(schema.required);
  const members = Object.entries(isJson(schema.properties) ? schema.properties : {});
  return Object.fromEntries(
    members
      .filter(([name]) => required.includes(name) || /Id$/.test(name))
      .map(([name, member]) => [name, sample(document, member)]),
  );
}

function sampleString(schema: Json): string {
  if (schema.format === 'uuid') return '00000000-0000-7000-8000-000000000000';
  if (schema.format === 'email') return 'somebody@example.test';
  if (schema.format === 'uri') return 'https://example.test/';
  return 'sample'.padEnd(Number(schema.minLength ?? 0), 'x');
}

/** The schema itself, or the component that it refers to. */
export function resolve(document: Json, schema: unknown): Json {
  if (!isJson(schema)) return {};
  if (typeof schema.$ref !== 'string') return schema;
  const steps = schema.$ref.slice(2).split('/');
  const found = steps.reduce<unknown>(readMember, document);
  return isJson(found) ? found : {};
}

export function readMember(value: unknown, name: string): unknown {
  return isJson(value) ? value[name] : undefined;
}

export function readList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
