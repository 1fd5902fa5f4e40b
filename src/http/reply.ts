import type { ServerResponse } from 'node:http';
import { z } from 'zod';
import { callerGone } from './caller-gone.ts';
import { cutOff } from './cut-off.ts';
import { type ErrorLog, HttpError, type ProblemContext, problem, problemHeaders } from './errors.ts';
import type { Reply, WriteStream } from './idempotency.ts';

/**
 * The body that may leave: parsed by the success schema, so that members which are not declared stay here.
 * A body that does not fit is a fault of ours: `internal_error`, with the paths of the faults as cause and no values.
 */
export function serializeDeclaredBody(
  schema: z.core.$ZodType | undefined,
  body: unknown,
  operationId: string,
): string | undefined {
  if (!schema) return undefined;
  const result = z.core.safeParse(schema, body);
  if (result.success) return JSON.stringify(result.data);
  const faults = result.error.issues.map((issue) => `${issue.path.map(String).join('.')}: ${issue.code}`);
  throw new HttpError('internal_error', {
    cause: new Error(`the reply of ${operationId} does not fit its schema (${faults.join('; ')})`),
  });
}

/** A problem as a reply that can be kept and given again. */
export function problemReply(error: HttpError, context: ProblemContext): Reply {
  return {
    status: error.status,
    headers: problemHeaders(error, context),
    body: JSON.stringify(problem(error, context)),
  };
}

/** Sends a reply; header fields set before stay unless the reply has its own. */
export function sendReply(response: ServerResponse, reply: Reply): void {
  response.statusCode = reply.status;
  for (const [name, value] of Object.entries(reply.headers)) response.setHeader(name, value);
  if (reply.cookies !== undefined) response.setHeader('Set-Cookie', reply.cookies);
  if (reply.body === undefined) {
    response.end();
    return;
  }
  response.setHeader('Content-Length', Buffer.byteLength(reply.body));
  response.end(reply.body);
}

/**
 * Sends a reply whose body is written piece by piece. The status is out before the first piece, so that a failure can
 * only cut the connection.
 */
export async function sendStream(
  response: ServerResponse,
  reply: Reply,
  stream: WriteStream,
  log: Pick<ErrorLog, 'error'>,
): Promise<void> {
  const gone = callerGone(response);
  if (gone.aborted) return;
  response.statusCode = reply.status;
  for (const [name, value] of Object.entries(reply.headers)) response.setHeader(name, value);
  try {
    await stream(response, gone);
  } catch (error) {
    if (!gone.aborted) log.error({ err: error }, 'a streamed reply was cut off');
    cutOff(response);
  }
}
