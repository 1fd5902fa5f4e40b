import type { ServerResponse } from 'node:http';
import {
  type HttpError,
  type Problem,
  type ProblemContext,
  problem,
  problemHeaders,
} from '../http/errors.ts';
import { writeXmlProblem } from './xml-problem.ts';

/**
 * What callers of the proxy read: the problem with two members that the providers' own clients look for, since a client
 * that finds neither takes the refusal for an answer, or loses its text. RFC 9457 section 3.2 allows them.
 */
type CallProblem = Problem & {
  readonly message: string;
  readonly error: { readonly code: string; readonly type: string; readonly message: string };
};

/** The kinds of error that Stripe, OpenAI and Anthropic have in common, whose clients choose their classes by them. */
function errorType({ status, code }: HttpError): string {
  if (status === 401 || code === 'reauthorization_required') return 'authentication_error';
  if (status === 403) return 'permission_error';
  if (status === 429) return 'rate_limit_error';
  return status >= 500 ? 'api_error' : 'invalid_request_error';
}

/** The body of an error under `/projects/{projectId}/proxy/`. */
export function callProblem(error: HttpError, context: ProblemContext): CallProblem {
  const plain = problem(error, context);
  const message = `${plain.detail} ${plain.remedy}`;
  return { ...plain, message, error: { code: error.code, type: errorType(error), message } };
}

/** Header fields of such an answer. `accept` is the caller's field: providers' clients parse `application/json` alone. */
export function callProblemHeaders(
  error: HttpError,
  context: ProblemContext,
  accept: string | undefined,
): Record<string, string> {
  const isProblemWanted = accept?.toLowerCase().includes('application/problem+json') === true;
  const contentType = isProblemWanted ? 'application/problem+json' : 'application/json';
  return { ...problemHeaders(error, context), 'Content-Type': contentType };
}

/** Sets status and fields of the answer, and gives its body. Fields that were set before (CORS) stay. */
export function beginCallProblem(
  response: ServerResponse,
  error: HttpError,
  context: ProblemContext,
): string {
  const content = callProblem(error, context);
  const xml = writeXmlProblem(response.req.headers, content);
  const body = xml ?? JSON.stringify(content);
  response.statusCode = error.status;
  const headers = callProblemHeaders(error, context, response.req.headers.accept);
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  if (xml !== undefined) response.setHeader('Content-Type', 'application/xml');
  response.setHeader('Content-Length', Buffer.byteLength(body));
  return body;
}
