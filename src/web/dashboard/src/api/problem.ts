/** A refusal as the API words it (RFC 9457). */
export type Problem = {
  readonly status: number;
  readonly code: string;
  readonly title: string;
  readonly detail: string;
  readonly remedy: string;
  readonly requestId: string | null;
  readonly errors?: readonly { readonly path: string; readonly message: string }[];
};

/** The API answered, and refused. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.title);
    this.problem = problem;
  }
}

/** No answer of the gateway: offline, restarting, or something between cut the request off. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';
  /** Whether the request may be sent again without doing twice what it asks for. */
  readonly isRepeatable: boolean;

  constructor(message: string, { isRepeatable, cause }: { isRepeatable: boolean; cause?: unknown }) {
    super(message, { cause });
    this.isRepeatable = isRepeatable;
  }
}

/** The status of the API's refusal; undefined for every other fault. */
export function findStatus(error: unknown): number | undefined {
  return error instanceof ApiError ? error.problem.status : undefined;
}

/** The stable code of the API's refusal; undefined for every other fault. */
export function findCode(error: unknown): string | undefined {
  return error instanceof ApiError ? error.problem.code : undefined;
}

/** What is wrong with each member of a refused input: `email: Too long`. */
export function faultLines({ errors = [] }: Problem): string[] {
  return errors.map(({ path, message }) => `${memberPath(path)}: ${message}`);
}

/** The member of the body that a fault is about: `email` for `body.email`. */
export function memberPath(path: string): string {
  return path.replace(/^body\.?/, '');
}
