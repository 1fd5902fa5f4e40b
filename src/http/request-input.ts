import express, { type Request, type Response } from 'express';
import { z } from 'zod';
import { isStorableText, NOT_STORABLE } from '../lib/storable-text.ts';
import { type ErrorCode, HttpError, type InputFault } from './errors.ts';
import { parseJsonBody } from './json-body.ts';

/** The largest JSON body of the management API. */
const JSON_BODY_BYTES_MAX = 1024 * 1024;

/** Names in fault paths come from the caller: cut them, so that a reply stays short. */
const NAME_LENGTH_MAX = 64;

/** Checks one part of a request. Throws `invalid_request` listing every fault, or the given code without a list. */
export function parsePart(
  part: 'params' | 'query' | 'body',
  schema: z.core.$ZodType,
  value: unknown,
  refusal: ErrorCode = 'invalid_request',
): unknown {
  const result = z.core.safeParse(schema, value);
  if (result.success) return result.data;
  if (refusal !== 'invalid_request') throw new HttpError(refusal);
  throw new HttpError('invalid_request', {
    errors: result.error.issues.flatMap((issue) => faultsOf(part, issue)),
  });
}

/** zod's messages name types, bounds and options, never the value that came, so that they are safe to answer. */
function faultsOf(parent: string, issue: z.core.$ZodIssue): InputFault[] {
  const path = [parent, ...issue.path.map((step) => String(step).slice(0, NAME_LENGTH_MAX))].join('.');
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      path: `${path}.${key.slice(0, NAME_LENGTH_MAX)}`,
      message: 'Not a known name here',
    }));
  }
  if (issue.code === 'invalid_union') {
    const branch = closestBranch(issue.errors);
    if (branch) return branch.flatMap((inner) => faultsOf(path, inner));
  }
  return [{ path, message: issue.message }];
}

/** Of the branches of a union, the one that the input nearly fits: the fewest faults. */
function closestBranch(branches: readonly z.core.$ZodIssue[][]): z.core.$ZodIssue[] | undefined {
  return branches.filter((issues) => issues.length > 0).sort((a, b) => a.length - b.length)[0];
}

/**
 * The query of a request target as an object. A parameter that is given twice is refused, since readers disagree
 * on which one counts; so is a bad percent escape, and text that no store keeps.
 */
export function readQuery(target: string): Record<string, string> {
  const start = target.indexOf('?');
  const search = start < 0 ? '' : target.slice(start + 1);
  assertDecodable(search);
  const values = new Map<string, string>();
  const faults: InputFault[] = [];
  for (const [name, value] of new URLSearchParams(search)) {
    if (values.has(name))
      faults.push({ path: `query.${name.slice(0, NAME_LENGTH_MAX)}`, message: 'Given more than once' });
    if (!isStorableText(value))
      faults.push({ path: `query.${name.slice(0, NAME_LENGTH_MAX)}`, message: NOT_STORABLE });
    values.set(name, value);
  }
  if (faults.length > 0) throw new HttpError('invalid_request', { errors: faults });
  return Object.fromEntries(values);
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

const readRaw = express.raw({ type: () => true, limit: JSON_BODY_BYTES_MAX });

/** Reads a JSON body of at most 1 MiB; a body without any byte counts as `{}`. */
export async function readJsonBody(request: Request, response: Response): Promise<unknown> {
  await new Promise<void>((resolve, reject) => {
    readRaw(request, response, (fault?: unknown) => (fault ? reject(fault) : resolve()));
  });
  const body: unknown = request.body;
  if (!Buffer.isBuffer(body) || body.length === 0) return {};
  return parseJsonBody(body, request.headers['content-type']);
}
