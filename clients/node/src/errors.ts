/** What a refusal says (RFC 9457), and where it is found in the gateway's log. */
export type Problem = {
  readonly status: number;
  /** Stable name of the reason, such as `not_found`; `unexpected_answer` when it was not the gateway that answered. */
  readonly code: string;
  readonly detail: string;
  /** What to do about it. */
  readonly remedy: string | undefined;
  /** Whether the same call may work later. */
  readonly retryable: boolean;
  readonly requestId: string | undefined;
  /** The faults of the request, field by field. */
  readonly errors: readonly { readonly path: string; readonly message: string }[];
};

/** Thrown for every answer that is not a success. */
export class GatewayError extends Error implements Problem {
  override readonly name = 'GatewayError';
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly remedy: string | undefined;
  readonly retryable: boolean;
  readonly requestId: string | undefined;
  readonly errors: Problem['errors'];

  constructor(problem: Problem) {
    super(`${problem.status} ${problem.code}: ${problem.detail}${faultsInWords(problem.errors)}`);
    this.status = problem.status;
    this.code = problem.code;
    this.detail = problem.detail;
    this.remedy = problem.remedy;
    this.retryable = problem.retryable;
    this.requestId = problem.requestId;
    this.errors = problem.errors;
  }
}

/** As many faults as fit into one line of a log; all of them are in `errors`. */
const FAULTS_SHOWN = 3;

function faultsInWords(faults: Problem['errors']): string {
  if (faults.length === 0) return '';
  const shown = faults.slice(0, FAULTS_SHOWN).map(({ path, message }) => `${path}: ${message}`);
  const more = faults.length > FAULTS_SHOWN ? ['…'] : [];
  return ` (${[...shown, ...more].join('; ')})`;
}

/** The error that an answer stands for; `text` is its body. */
export function toGatewayError(response: Response, text: string): GatewayError {
  const { status, headers } = response;
  const problem = headers.get('content-type')?.startsWith('application/problem+json') ? parse(text) : {};
  const { code, detail, remedy, retryable, requestId, errors } = problem;
  return new GatewayError({
    status,
    code: typeof code === 'string' ? code : 'unexpected_answer',
    detail: typeof detail === 'string' ? detail : 'The answer is not one of the gateway.',
    remedy: typeof remedy === 'string' ? remedy : undefined,
    retryable: retryable === true,
    requestId: typeof requestId === 'string' ? requestId : (headers.get('gateway-request-id') ?? undefined),
    errors: Array.isArray(errors) ? errors : [],
  });
}

function parse(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
