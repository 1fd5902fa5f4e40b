import { ApiError, memberPath } from '../api/problem.ts';

/** Messages by field, a line for each. */
export type Errors = Readonly<Record<string, string>>;

type Placed = {
  readonly errors: Errors;
  /** What no field shows, for a notice; undefined where the fields show all of it. */
  readonly problem: unknown;
};

/**
 * Splits a refusal among the fields that are drawn and a notice, so that each of its messages is shown once. `fields` has
 * the fields of members that the API calls otherwise.
 */
export function placeFaults(
  error: unknown,
  fields: Readonly<Record<string, string>>,
  drawn: ReadonlySet<string>,
): Placed {
  const faults = error instanceof ApiError ? (error.problem.errors ?? []) : [];
  if (!(error instanceof ApiError) || faults.length === 0) return { errors: {}, problem: error };
  const errors: Record<string, string> = {};
  const others = faults.filter(({ path, message }) => {
    const field = findField(memberPath(path), fields, drawn);
    if (field === undefined) return true;
    errors[field] = errors[field] === undefined ? message : `${errors[field]}\n${message}`;
    return false;
  });
  if (others.length === 0) return { errors, problem: undefined };
  return { errors, problem: new ApiError({ ...error.problem, errors: others }) };
}

/** The field of a member, or of the closest member around it: `scopes` for `scopes.3`. */
function findField(
  path: string,
  fields: Readonly<Record<string, string>>,
  drawn: ReadonlySet<string>,
): string | undefined {
  const name = fields[path] ?? path;
  if (drawn.has(name)) return name;
  const end = path.lastIndexOf('.');
  return end < 0 ? undefined : findField(path.slice(0, end), fields, drawn);
}
