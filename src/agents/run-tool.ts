import { HttpError, logFailure, toHttpError } from '../http/errors.ts';
import { parsePart } from '../http/request-input.ts';
import type { Log } from '../platform/logger.ts';
import type { CallProvider } from './call-provider.ts';
import type { Caller } from './caller.ts';
import type { ListConnections } from './list-connections.ts';
import { readRefusal, shapeAnswer } from './shape-answer.ts';
import { createRefusal, createResult, describeRefusal, type ToolResult } from './tool-results.ts';
import {
  type CallInput,
  connectInput,
  findOperationsInput,
  listConnectionsInput,
  readInput,
  writeInput,
} from './tools.schema.ts';
import type { ToolName } from './tools.ts';

export type RunToolDependencies = {
  readonly callProvider: CallProvider;
  readonly listConnections: ListConnections;
  readonly log: Pick<Log, 'error'>;
};

export type RunTool = (call: {
  readonly name: ToolName;
  readonly input: unknown;
  readonly caller: Caller;
  readonly requestId: string;
  readonly signal: AbortSignal;
}) => Promise<ToolResult>;

/** Runs one tool. Whatever is refused comes back as a result that says what to do: the model is to read it. */
export function createRunTool(deps: RunToolDependencies): RunTool {
  return async ({ name, input, caller, requestId, signal }) => {
    try {
      switch (name) {
        case 'list_connections':
          parseInput(listConnectionsInput, input);
          return createResult(await deps.listConnections(caller));
        case 'connect':
          parseInput(connectInput, input);
          throw new HttpError('not_found');
        case 'find_operations':
          parseInput(findOperationsInput, input);
          throw new HttpError('not_found');
        case 'read': {
          const { cursor, ...call } = parseInput(readInput, input);
          return await runCall(call, { isReading: true, cursor, caller, signal });
        }
        case 'write':
          return await runCall(parseInput(writeInput, input), { isReading: false, caller, signal });
      }
    } catch (thrown) {
      const error = toHttpError(thrown);
      logFailure(deps.log, error, requestId);
      return createRefusal(describeRefusal(error));
    }
  };

  async function runCall(
    input: CallInput,
    how: {
      readonly isReading: boolean;
      readonly cursor?: string | undefined;
      readonly caller: Caller;
      readonly signal: AbortSignal;
    },
  ): Promise<ToolResult> {
    const { provider, method, path, query, connection: connectionId, fields, maxTokens } = input;
    const { isReading, cursor, caller, signal } = how;
    const call = { provider, method, path, query, body: encodeBody(input), connectionId, isReading };
    const answer = await deps.callProvider(caller, call, signal);
    const refusal = readRefusal(answer);
    if (refusal !== undefined) return createRefusal(refusal);
    return shapeAnswer(answer, { provider, fields, maxTokens, cursor, isRepeatable: isReading });
  }
}

/** What `parsePart` checks is the shape alone, so that the type of the schema holds. */
function parseInput<Schema extends { parse(input: unknown): unknown }>(
  schema: Schema & Parameters<typeof parsePart>[1],
  input: unknown,
): ReturnType<Schema['parse']>;
function parseInput(schema: Parameters<typeof parsePart>[1], input: unknown): unknown {
  return parsePart('arguments', schema, input ?? {});
}

function encodeBody({ body, contentType }: CallInput) {
  if (body === undefined || body === null) return undefined;
  if (typeof body === 'string')
    return {
      bytes: Buffer.from(body),
      contentType: contentType ?? (looksLikeJson(body) ? JSON_TYPE : 'text/plain'),
    };
  return { bytes: Buffer.from(JSON.stringify(body)), contentType: JSON_TYPE };
}

const JSON_TYPE = 'application/json';

function looksLikeJson(text: string): boolean {
  return /^\s*[[{]/.test(text);
}
