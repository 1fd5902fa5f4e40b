import type { HostileRequest } from './event-loop.ts';
import {
  escaped,
  HOSTILE_TEXTS,
  hostileTexts,
  LINE_BYTES_MAX,
  type Named,
  repeatMany,
} from './hostile-inputs.ts';
import { isJson, type Json, readList, readMember, resolve, sample } from './openapi.ts';

/** Below the number of members and elements with which a body is refused before its schema sees it. */
const VALUES_MAX = 9_900;

type Path = readonly (string | number)[];

/** An operation of the served document, and how to call it. */
export type OpenOperation = {
  readonly document: Json;
  readonly operation: Json;
  readonly request: HostileRequest;
};

/** Every nasty request of one operation: its query, its body as a whole, and each member of the body. */
export function* hostileRequests(open: OpenOperation, seen: Set<string>): Generator<HostileRequest> {
  const { operation, request } = open;
  for (const [what, query] of hostileQueries(open, seen))
    yield { ...request, name: `${request.name}?${what}`, target: `${request.target}?${query}` };
  const content = readMember(readMember(readMember(operation, 'requestBody'), 'content'), 'application/json');
  if (!isJson(content)) return;
  const headers = [...(request.headers ?? []), ['content-type', 'application/json'] as const];
  const limit = Number(operation['x-body-bytes-max']);
  const bodies = [
    ...hostileObjects(limit),
    // No schema looks into these: one operation of each limit stands for all.
    ...(isNew({ limit }, seen) ? hostileBodies(limit) : []),
    ...hostileMembers(open, content, limit, seen),
  ];
  for (const [what, body] of bodies) yield { ...request, headers, name: `${request.name} ${what}`, body };
}

/** `seen` holds parameters that another operation has as well: they are judged by the same code. */
function hostileQueries({ document, operation }: OpenOperation, seen: Set<string>): Named<string>[] {
  const own = readList(operation.parameters)
    .filter(isJson)
    .filter((parameter) => parameter.in === 'query' && isNew(parameter, seen));
  const each = own.flatMap((parameter): Named<string>[] => {
    const name = String(parameter.name);
    const schema = resolve(document, parameter.schema);
    const fitting = Number(schema.maxLength ?? 0);
    return [
      [`${name} at most`, `${name}=${schema.maximum ?? ''}`],
      [`${name} of words`, `${name}=${'a+'.repeat(fitting / 2)}`],
      [`${name} of commas`, `${name}=${','.repeat(fitting)}`],
      ...hostileTexts(LINE_BYTES_MAX / 3).map(
        ([what, text]): Named<string> => [`${name} of ${what}`, `${name}=${escaped(text)}`],
      ),
    ];
  });
  return [
    ['many', repeatMany((index) => `a${index}=1`, '&', LINE_BYTES_MAX)],
    ['the same', 'limit=1&'.repeat(LINE_BYTES_MAX / 8)],
    ['escapes', `a=${'%41'.repeat(LINE_BYTES_MAX / 3)}`],
    ...each,
  ];
}

/** Objects that the schema of every operation has to judge. */
function hostileObjects(limit: number): Named<() => string>[] {
  const long = (index: number) => `"${String(index).padEnd(70, 'x')}":0`;
  return [
    ['of unknown members', () => `{${repeatMany((index) => `"u${index}":0`, ',', limit - 2)}}`],
    ['of long unknown members', () => `{${repeatMany(long, ',', limit - 2)}}`],
  ];
}

/** Bodies that are refused, or read to their end, by code that all operations share. */
function hostileBodies(limit: number): Named<() => string | Buffer>[] {
  const half = Math.floor((limit - 16) / 2);
  const sixth = Math.floor(limit / 6) - 4;
  return [
    ['of one member again and again', () => `{${repeatMany(() => '"a":0', ',', limit - 2)}}`],
    ['of arrays', () => `[${repeatMany(() => '[]', ',', limit - 2)}]`],
    ['of numbers', () => `[${repeatMany(() => '0', ',', limit - 2)}]`],
    ['of nested arrays', () => `${'['.repeat(half)}${']'.repeat(half)}`],
    ['of nested objects', () => `${'{"a":'.repeat(sixth)}0${'}'.repeat(sixth)}`],
    ['of one number', () => '9'.repeat(limit)],
    ['of one fraction', () => `0.${'1'.repeat(limit - 2)}`],
    ['of escapes', () => `{"a":"${'\\u0061'.repeat(sixth)}"}`],
    ['of blanks', () => ' '.repeat(limit)],
    ['of no UTF-8', () => Buffer.alloc(limit, 0xff)],
    ['without an end', () => `{"a":"${'a'.repeat(limit - 8)}`],
  ];
}

/** Hostile members of the operation's own body, and where it takes bodies of several forms, of a body of each form. */
function* hostileMembers(
  { document }: OpenOperation,
  content: Json,
  limit: number,
  seen: Set<string>,
): Generator<Named<() => string>> {
  const forms = listForms(document, resolve(document, content.schema));
  for (const form of forms) {
    const base = (forms.length === 1 && content.example) || sample(document, form);
    yield* hostileMembersOf(document, form, base, limit, seen);
  }
}

/**
 * `base` with one member after the other in a form that is hard to judge. Members of the same schema share the texts
 * among them.
 */
function* hostileMembersOf(
  document: Json,
  form: Json,
  base: unknown,
  limit: number,
  seen: Set<string>,
): Generator<Named<() => string>> {
  const members = listMembers(document, form).filter(([path, schema]) => isNew([path.at(-1), schema], seen));
  for (const alike of Map.groupBy(members, ([, schema]) => JSON.stringify(schema)).values())
    for (const [turn, [path, schema]] of alike.entries()) {
      const room = limit - JSON.stringify(place(base, path, null)).length - 200;
      const texts = HOSTILE_TEXTS.filter((_, index) => index % alike.length === turn);
      for (const [what, make] of hostileValues(document, schema, room, texts))
        yield [`${path.join('.')} ${what}`, () => JSON.stringify(place(base, path, make()))];
    }
}

/** Values of a member that are of its type as far as that costs more to judge. */
function hostileValues(
  document: Json,
  schema: Json,
  room: number,
  texts: typeof HOSTILE_TEXTS,
): Named<() => unknown>[] {
  const forms = listForms(document, schema).map(({ type }) => type);
  const ofTexts = texts.map(([what, make]): Named<() => unknown> => [`of ${what}`, () => make(room / 3)]);
  // What takes neither a list nor anything at all refuses a list by its type.
  const takesLists = forms.some((type) => type === 'array' || type === undefined);
  return [
    ...(takesLists ? [['of objects', () => many(() => ({}), room / 3)] as const] : []),
    ...(forms.includes('string') ? ofTexts : []),
    ...(schema.maxLength === undefined
      ? []
      : [['as long as may be', () => 'a'.repeat(Number(schema.maxLength))] as const]),
    ...(forms.includes('array')
      ? ([
          ['of numbers', () => many(() => 0, room / 2)],
          ['of texts', () => many((index) => `t${index}`, room / 9)],
          ['of the longest texts', () => many((index) => `${index}`.padEnd(490, 'x'), room / 493)],
        ] as const)
      : []),
    ...(forms.includes('object')
      ? ([
          ['of members', () => Object.fromEntries(many((index) => [`m${index}`, 'x'], room / 13))],
          [
            'of objects by name',
            () => Object.fromEntries(many((index) => [`m${index}`, { a: 1 }], room / 16)),
          ],
          ['as deep as may be', () => nested(60)],
        ] as const)
      : []),
  ];
}

function isNew(thing: unknown, seen: Set<string>): boolean {
  const key = JSON.stringify(thing);
  if (seen.has(key)) return false;
  seen.add(key);
  return true;
}

function nested(depth: number): unknown {
  return depth === 0 ? 0 : { a: nested(depth - 1) };
}

function many<Item>(make: (index: number) => Item, count: number): Item[] {
  const length = Math.max(1, Math.floor(Math.min(count, VALUES_MAX)));
  return Array.from({ length }, (_, index) => make(index));
}

/** Every member that a body may have, with its schema, to the depth of three. */
export function listMembers(
  document: Json,
  schema: unknown,
  path: Path = [],
  choices: readonly Choice[] = [],
): [Path, Json, readonly Choice[]][] {
  const known = resolve(document, schema);
  const own: [Path, Json, readonly Choice[]][] = path.length === 0 ? [] : [[path, known, choices]];
  if (path.length >= 3) return own;
  const { properties, items, additionalProperties } = known;
  const within = (one: unknown, step: string | number) =>
    listMembers(document, one, [...path, step], choices);
  return [
    ...own,
    ...Object.entries(isJson(properties) ? properties : {}).flatMap(([name, one]) => within(one, name)),
    ...(isJson(items) ? within(items, 0) : []),
    ...(isJson(additionalProperties) ? within(additionalProperties, 'any') : []),
    ...choicesOf(known).flatMap((choice) =>
      listMembers(document, choice, path, [...choices, ...namesOf(resolve(document, choice), path)]).filter(
        ([found]) => found.length > path.length,
      ),
    ),
  ];
}

/** A member by which a request says which of several forms it has. */
export type Choice = readonly [Path, unknown];

function namesOf(form: Json, path: Path): Choice[] {
  return Object.entries(isJson(form.properties) ? form.properties : {}).flatMap(([name, member]) =>
    isJson(member) && member.const !== undefined ? [[[...path, name], member.const] as const] : [],
  );
}

/** The schema, or those that it leaves the choice among. */
export function listForms(document: Json, schema: Json): Json[] {
  const choices = choicesOf(schema).map((choice) => resolve(document, choice));
  return choices.length === 0 ? [schema] : choices.flatMap((choice) => listForms(document, choice));
}

/** A copy with the value at the path, objects and arrays made on the way. */
export function place(target: unknown, [first, ...rest]: Path, value: unknown): unknown {
  if (first === undefined) return value;
  if (typeof first === 'number') return [place(undefined, rest, value)];
  const base = isJson(target) ? target : {};
  return { ...base, [first]: place(base[first], rest, value) };
}

function choicesOf(schema: Json): unknown[] {
  return [...readList(schema.anyOf), ...readList(schema.oneOf)];
}
