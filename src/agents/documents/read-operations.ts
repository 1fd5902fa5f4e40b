import { isRecord } from '../../lib/is-record.ts';

/** One operation of an API, as its vendor's document describes it. Every text is cut, and is data of the vendor's. */
export type Operation = {
  readonly method: string;
  /** From the host on, with `{name}` for a parameter, and `{+name}` for one that may hold slashes. */
  readonly path: string;
  readonly name: string;
  readonly summary: string;
  /** `name (query, integer, required)`. */
  readonly parameters: readonly string[];
};

const OPERATIONS_MAX = 20_000;
const PARAMETERS_MAX = 24;
const PATH_LENGTH_MAX = 400;
const NAME_LENGTH_MAX = 120;
const PARAMETER_LENGTH_MAX = 80;
const SUMMARY_LENGTH_MAX = 240;
const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'head'] as const;
const RESOURCES_DEPTH_MAX = 8;

/** The operations of an OpenAPI 3, Swagger 2 or Google discovery document; none of anything else. */
export function readOperations(document: unknown): Operation[] {
  if (!isRecord(document)) return [];
  const found = isRecord(document.paths) ? ofPaths(document, document.paths) : ofDiscovery(document);
  return [...take(found, OPERATIONS_MAX)];
}

function* take<T>(items: Iterable<T>, max: number): Generator<T> {
  let count = 0;
  for (const item of items) {
    if (count === max) return;
    count += 1;
    yield item;
  }
}

function* ofPaths(document: Record<string, unknown>, paths: Record<string, unknown>): Generator<Operation> {
  const base = readBase(document);
  for (const [path, item] of Object.entries(paths)) {
    const full = `${base}${path}`;
    if (!isRecord(item) || !path.startsWith('/') || full.length > PATH_LENGTH_MAX) continue;
    for (const method of METHODS) {
      const operation = item[method];
      if (!isRecord(operation)) continue;
      yield {
        method: method.toUpperCase(),
        path: cut(full, PATH_LENGTH_MAX),
        name: cut(operation.operationId, NAME_LENGTH_MAX),
        summary: cut(operation.summary ?? operation.description, SUMMARY_LENGTH_MAX),
        parameters: readParameters(document, [operation.parameters, item.parameters], operation.requestBody),
      };
    }
  }
}

/** The path of the first server (OpenAPI 3), or the base path (Swagger 2), without the last slash. */
function readBase({ servers, basePath }: Record<string, unknown>): string {
  if (typeof basePath === 'string') return basePath.replace(/\/$/, '');
  const [first]: unknown[] = Array.isArray(servers) ? servers : [];
  const url = isRecord(first) && typeof first.url === 'string' ? first.url : '';
  return url.replace(/^[a-z]+:\/\/[^/]*/i, '').replace(/\/$/, '');
}

function readParameters(
  document: Record<string, unknown>,
  lists: readonly unknown[],
  body: unknown,
): string[] {
  const given = lists
    .flatMap((list) => (Array.isArray(list) ? list : []))
    .map((entry) => follow(document, entry));
  const named = given.flatMap((entry) => {
    if (entry.in === 'body') return readProperties(document, entry.schema);
    const schema = isRecord(entry.schema) ? entry.schema : entry;
    return [describe(entry.name, entry.in, schema.type, entry.required === true)];
  });
  return [...named, ...readBody(document, body)].filter((text) => text !== '').slice(0, PARAMETERS_MAX);
}

function readBody(document: Record<string, unknown>, body: unknown): string[] {
  const { content } = follow(document, body);
  const [media]: unknown[] = isRecord(content) ? Object.values(content) : [];
  return isRecord(media) ? readProperties(document, media.schema) : [];
}

function readProperties(document: Record<string, unknown>, schema: unknown): string[] {
  const { properties, required } = follow(document, schema);
  const needed: unknown[] = Array.isArray(required) ? required : [];
  return Object.entries(isRecord(properties) ? properties : {})
    .slice(0, PARAMETERS_MAX)
    .map(([name, property]) =>
      describe(name, 'body', isRecord(property) ? property.type : '', needed.includes(name)),
    );
}

function describe(name: unknown, place: unknown, type: unknown, isRequired: boolean): string {
  if (typeof name !== 'string' || place === 'header') return '';
  const facts = [place, type, isRequired ? 'required' : ''].filter(
    (fact) => typeof fact === 'string' && fact !== '',
  );
  return cut(`${name} (${facts.join(', ')})`, PARAMETER_LENGTH_MAX);
}

/** What a `$ref` within the document names, one step; the value itself otherwise. */
function follow(document: Record<string, unknown>, value: unknown): Record<string, unknown> {
  if (!isRecord(value)) return {};
  const { $ref: reference } = value;
  if (typeof reference !== 'string' || !reference.startsWith('#/')) return value;
  let found: unknown = document;
  for (const step of reference.slice(2).split('/')) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    found = isRecord(found) && Object.hasOwn(found, name) ? found[name] : undefined;
  }
  return isRecord(found) ? found : {};
}

function* ofDiscovery(document: Record<string, unknown>): Generator<Operation> {
  const { rootUrl, servicePath, schemas } = document;
  if (typeof rootUrl !== 'string') return;
  const base = typeof servicePath === 'string' ? `/${servicePath}` : '/';
  yield* ofResources(document, base, isRecord(schemas) ? schemas : {}, 0);
}

function* ofResources(
  { methods, resources }: Record<string, unknown>,
  base: string,
  schemas: Record<string, unknown>,
  depth: number,
): Generator<Operation> {
  for (const method of Object.values(isRecord(methods) ? methods : {})) {
    if (!isRecord(method) || typeof method.path !== 'string' || typeof method.httpMethod !== 'string')
      continue;
    yield {
      method: cut(method.httpMethod.toUpperCase(), 10),
      path: cut(`${base}${method.path}`, PATH_LENGTH_MAX),
      name: cut(method.id, NAME_LENGTH_MAX),
      summary: cut(method.description, SUMMARY_LENGTH_MAX),
      parameters: readDiscoveryParameters(method, schemas),
    };
  }
  if (depth === RESOURCES_DEPTH_MAX) return;
  for (const resource of Object.values(isRecord(resources) ? resources : {}))
    if (isRecord(resource)) yield* ofResources(resource, base, schemas, depth + 1);
}

function readDiscoveryParameters(
  method: Record<string, unknown>,
  schemas: Record<string, unknown>,
): string[] {
  const own = Object.entries(isRecord(method.parameters) ? method.parameters : {}).map(([name, entry]) =>
    isRecord(entry) ? describe(name, entry.location, entry.type, entry.required === true) : '',
  );
  const reference = isRecord(method.request) ? method.request.$ref : undefined;
  const schema =
    typeof reference === 'string' && Object.hasOwn(schemas, reference) ? schemas[reference] : undefined;
  const body = readProperties({}, schema);
  return [...own, ...body].filter((text) => text !== '').slice(0, PARAMETERS_MAX);
}

/** One line of bounded length, without control characters and what Postgres does not keep. */
function cut(text: unknown, lengthMax: number): string {
  if (typeof text !== 'string') return '';
  const line = text
    .slice(0, lengthMax * 2)
    .toWellFormed()
    .replace(/<[^<>]{0,200}>/g, ' ')
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim();
  return line.length <= lengthMax ? line : `${line.slice(0, lengthMax - 1).toWellFormed()}…`;
}
