import express, { type Request, type Response } from 'express';
import { z } from 'zod';
import { findClosestName } from '../lib/closest-name.ts';
import { explainIssue } from '../lib/explain-issue.ts';
import { isRecord } from '../lib/is-record.ts';
import { judge } from '../lib/judge.ts';
import { isStorableText, NOT_STORABLE } from '../lib/storable-text.ts';
import { type ErrorCode, HttpError, type InputFault } from './errors.ts';
import { decodeText, parseJsonBody } from './json-body.ts';
import { readLate } from './late-body.ts';

/** Names in fault paths come from the caller: cut them, so that a reply stays short. */
const NAME_LENGTH_MAX = 64;

/** More query parameters than any operation has. */
const QUERY_PARAMETERS_MAX = 50;

/** `arguments`: those of a tool. */
type Part = 'params' | 'query' | 'body' | 'arguments';

/** Names that an object takes, by the list of unknown ones that were found in it. */
type KnownNames = Map<readonly string[], readonly string[]>;

/**
 * Checks one part of a request. Throws `invalid_request` with the first faults, or the given code without a list.
 */
export function parsePart<Schema extends z.core.$ZodType>(
  part: Part,
  schema: Schema,
  value: unknown,
  refusal: ErrorCode = 'invalid_request',
): z.core.output<Schema> {
  const knownNames: KnownNames = new Map();
  const judged = judge(schema, value, (issue) => {
    noteKnownNames(issue, knownNames);
    return explainIssue(issue);
  });
  if (judged.ok) {
    lowerIds(schema, judged.data);
    return judged.data;
  }
  if (refusal !== 'invalid_request') throw new HttpError(refusal);
  throw new HttpError('invalid_request', { errors: faultsOfAll(part, judged.issues, knownNames) });
}

/** Of each schema the members that are ids, or lists of them. */
const idMembers = new WeakMap<z.core.$ZodType, readonly string[]>();

/**
 * Writes the ids among the members in small letters, as the store has them: a row is found by either spelling, but what is sealed
 * for it, counted for it or kept in memory under its id would be under another one.
 */
function lowerIds(schema: z.core.$ZodType, data: unknown): void {
  if (!isRecord(data)) return;
  let names = idMembers.get(schema);
  if (names === undefined) {
    names = listIdMembers(schema);
    idMembers.set(schema, names);
  }
  // The schema has made the object, so that no caller's is changed.
  for (const name of names) if (Object.hasOwn(data, name)) data[name] = lower(data[name]);
}

function lower(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(lower);
  return typeof value === 'string' ? value.toLowerCase() : value;
}

function listIdMembers(schema: z.core.$ZodType): readonly string[] {
  if (!(schema instanceof z.ZodObject)) return [];
  return Object.entries(schema.shape).flatMap(([name, member]) => (isId(member) ? [name] : []));
}

function isId(schema: unknown): boolean {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return isId(schema.unwrap());
  if (schema instanceof z.ZodArray) return isId(schema.element);
  return schema instanceof z.ZodUUID;
}

/** Only zod's error map learns which object refused a name, so it is recorded here. */
function noteKnownNames(issue: z.core.$ZodRawIssue, knownNames: KnownNames): void {
  if (issue.code !== 'unrecognized_keys' || !(issue.inst instanceof z.ZodObject)) return;
  knownNames.set(issue.keys, Object.keys(issue.inst.shape));
}

function* faultsOfAll(
  parent: string,
  issues: Iterable<z.core.$ZodIssue>,
  knownNames: KnownNames,
): Generator<InputFault> {
  for (const issue of issues) yield* faultsOf(parent, issue, knownNames);
}

/** The messages name types, bounds and options, never the value that came, so that they are safe to answer. */
function* faultsOf(parent: string, issue: z.core.$ZodIssue, knownNames: KnownNames): Generator<InputFault> {
  const path = [parent, ...issue.path.map((step) => String(step).slice(0, NAME_LENGTH_MAX))].join('.');
  if (issue.code === 'unrecognized_keys') {
    for (const key of issue.keys) yield unknownName(path, key, knownNames.get(issue.keys) ?? []);
    return;
  }
  const branch = issue.code === 'invalid_union' ? closestBranch(issue.errors) : undefined;
  if (branch) yield* faultsOfAll(path, branch, knownNames);
  else yield { path, message: issue.message };
}

function unknownName(path: string, key: string, known: readonly string[]): InputFault {
  const meant = findClosestName(key, known);
  return {
    path: `${path}.${key.slice(0, NAME_LENGTH_MAX)}`,
    message: `Not a known name here${meant === undefined ? '' : `. Did you mean \`${meant}\`?`}`,
  };
}

/** Of the branches of a union, the one that the input nearly fits: the fewest faults. */
function closestBranch(branches: readonly z.core.$ZodIssue[][]): z.core.$ZodIssue[] | undefined {
  return branches.filter((issues) => issues.length > 0).sort((a, b) => a.length - b.length)[0];
}

/**
 * The query of a request target as an object. A parameter that is given twice is refused, since readers disagree
 * on which one counts; so is a bad percent escape, text that no store keeps, and more parameters than anything takes.
 */
export function readQuery(target: string): Record<string, string> {
  const start = target.indexOf('?');
  const search = start < 0 ? '' : target.slice(start + 1);
  assertDecodable(search);
  const parameters = [...new URLSearchParams(search)];
  if (parameters.length > QUERY_PARAMETERS_MAX) {
    const detail = `The query has more than ${QUERY_PARAMETERS_MAX} parameters.`;
    throw new HttpError('invalid_request', { detail });
  }
  const faults = [...queryFaults(parameters)];
  if (faults.length > 0) throw new HttpError('invalid_request', { errors: faults });
  return Object.fromEntries(parameters);
}

/** `tag.plan=pro` and `tag[plan]=pro`, for queries that take a `tag`. */
const NAMED_TAG = /^tag(?:\.(.+)|\[(.+)\])$/s;

/**
 * Gathers the tags of a query into one member, as its schema has them. Refuses a tag that is given in both ways, and
 * `__proto__`, which zod leaves out of a record: without its filter a list would hold everything.
 */
export function gatherTags(query: Readonly<Record<string, string>>): Record<string, unknown> {
  const tags: [string, string][] = [];
  const rest = Object.entries(query).filter(([name, value]) => {
    const [, dotted, bracketed] = NAMED_TAG.exec(name) ?? [];
    const key = dotted ?? bracketed;
    if (key !== undefined) tags.push([key, value]);
    return key === undefined;
  });
  const faults = [...queryFaults(tags, 'query.tag')];
  if (faults.length > 0) throw new HttpError('invalid_request', { errors: faults });
  return { ...Object.fromEntries(rest), ...(tags.length > 0 && { tag: Object.fromEntries(tags) }) };
}

function* queryFaults(parameters: readonly [string, string][], parent = 'query'): Generator<InputFault> {
  const seen = new Set<string>();
  for (const [name, value] of parameters) {
    const path = `${parent}.${name.slice(0, NAME_LENGTH_MAX)}`;
    if (seen.has(name)) yield { path, message: 'Given more than once' };
    if (name === '__proto__') yield { path, message: 'Not a known name here' };
    if (!isStorableText(value)) yield { path, message: NOT_STORABLE };
    seen.add(name);
  }
}

function assertDecodable(search: string): void {
  try {
    decodeURIComponent(search);
  } catch {
    throw new HttpError('invalid_request', {
      detail: 'The query has a percent escape that stands for no character.',
    });
  }
}

/** RFC 9512, and what was usual before it. */
const YAML = /^(?:application|text)\/(?:x-)?yaml(?:;|$)/i;

export type JsonBodyReader = (request: Request, response: Response) => Promise<unknown>;

/**
 * Reads JSON bodies of at most this many bytes; a body without any byte counts as `{}`. With `yamlMember` a body in YAML
 * is the text of that member.
 */
export function createJsonBodyReader(bodyBytesMax: number, yamlMember?: string): JsonBodyReader {
  const readRaw = readLate(express.raw({ type: () => true, limit: bodyBytesMax }));
  return async (request, response) => {
    await readBytes(readRaw, bodyBytesMax, request, response);
    const body: unknown = request.body;
    if (!Buffer.isBuffer(body) || body.length === 0) return {};
    const contentType = request.headers['content-type'];
    if (yamlMember !== undefined && YAML.test(contentType ?? '')) return { [yamlMember]: decodeText(body) };
    return parseJsonBody(body, contentType);
  };
}

async function readBytes(
  readRaw: ReturnType<typeof readLate>,
  bodyBytesMax: number,
  request: Request,
  response: Response,
): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    readRaw(request, response, (fault?: unknown) => {
      if (fault === undefined) return resolve();
      const isTooLarge = fault instanceof Error && 'type' in fault && fault.type === 'entity.too.large';
      const detail = `The body of this operation may have at most ${bodyBytesMax} bytes.`;
      reject(isTooLarge ? new HttpError('body_too_large', { detail }) : fault);
    });
  });
}
