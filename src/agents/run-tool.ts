import { logFailure, toHttpError } from '../http/errors.ts';
import { parsePart } from '../http/request-input.ts';
import type { HeldAnswer } from '../platform/held-exchange.ts';
import type { Log } from '../platform/logger.ts';
import type { EndSignal } from '../proxy/call-held.ts';
import { answerApproval, assertNotDeclined } from './approving.ts';
import type { Ask, Reply } from './ask-user.ts';
import type { CallProvider } from './call-provider.ts';
import type { Caller } from './caller.ts';
import type { Cancellations } from './cancellations.ts';
import { type Connecting, findMissing } from './connecting.ts';
import type { FindOperations } from './find-operations.ts';
import type { ListConnections } from './list-connections.ts';
import { readRefusal, shapeAnswer } from './shape-answer.ts';
import { createRefusal, createResult, describeRefusal, type ToolResult } from './tool-results.ts';
import {
  type CallInput,
  type ConnectInput,
  connectInput,
  findOperationsInput,
  listConnectionsInput,
  readInput,
  readUsualInput,
  writeInput,
} from './tools.schema.ts';
import type { ToolName } from './tools.ts';

export type RunToolDependencies = {
  readonly callProvider: CallProvider;
  readonly listConnections: ListConnections;
  readonly connecting: Connecting;
  readonly findOperations: FindOperations;
  readonly cancellations: Pick<Cancellations, 'watch'>;
  readonly log: Pick<Log, 'error'>;
};

export type RunTool = (call: {
  readonly name: ToolName;
  readonly input: unknown;
  readonly caller: Caller;
  readonly requestId: string;
  readonly signal: EndSignal;
  /** By which the client may cancel the call; see `readCallKey`. */
  readonly callKey: string | undefined;
  readonly reply: Reply | undefined;
}) => Promise<ToolResult | Ask>;

type How = {
  readonly isReading: boolean;
  readonly cursor?: string | undefined;
  readonly caller: Caller;
  readonly signal: EndSignal;
  readonly reply: Reply | undefined;
};

/** Runs one tool. Whatever is refused comes back as a result that says what to do: the model is to read it. */
export function createRunTool(deps: RunToolDependencies): RunTool {
  return (call) => {
    const refuse = (thrown: unknown): ToolResult => {
      const error = toHttpError(thrown);
      logFailure(deps.log, error, call.requestId);
      return createRefusal(describeRefusal(error));
    };
    try {
      return begin(call).catch(refuse);
    } catch (thrown) {
      return Promise.resolve(refuse(thrown));
    }
  };

  function begin({
    name,
    input,
    caller,
    signal: given,
    callKey,
    reply,
  }: Parameters<RunTool>[0]): Promise<ToolResult | Ask> {
    const signal = deps.cancellations.watch(callKey, given);
    switch (name) {
      case 'list_connections':
        parseInput(listConnectionsInput, input);
        return deps.listConnections(caller).then((found) => createResult(found));
      case 'connect':
        return runConnect(parseInput(connectInput, input), caller, reply);
      case 'find_operations':
        return deps
          .findOperations(caller, parseInput(findOperationsInput, input))
          .then((found) => createResult(found));
      case 'read': {
        const call = readUsualInput(input) ?? parseInput(readInput, input);
        return runCall(call, { isReading: true, cursor: call.cursor, caller, signal, reply });
      }
      case 'write':
        return runCall(parseInput(writeInput, input), { isReading: false, caller, signal, reply });
    }
  }

  async function runConnect(
    input: ConnectInput,
    caller: Caller,
    reply: Reply | undefined,
  ): Promise<ToolResult | Ask> {
    const code = input.completionCode ?? reply?.completionCode;
    if (code === undefined) return deps.connecting.ask(caller, input, reply, 'by the tool');
    return createResult({ isConnected: true, connection: await deps.connecting.complete(caller, code) });
  }

  /** No async function: the promises of one cost a call more than what it says in it. */
  function runCall(input: CallInput, how: How): Promise<ToolResult | Ask> {
    const { provider, method, path, query, connection: connectionId } = input;
    const { isReading, caller, signal, reply } = how;
    assertNotDeclined(reply);
    const call = { provider, method, path, query, body: encodeBody(input), connectionId, isReading };
    const send = () => deps.callProvider(caller, call, signal).then((answer) => settle(answer, input, how));
    const code = reply?.completionCode;
    return code === undefined ? send() : deps.connecting.complete(caller, code).then(send);
  }

  function settle(
    answer: HeldAnswer,
    input: CallInput,
    { isReading, cursor, caller, reply }: How,
  ): ToolResult | Ask | Promise<ToolResult | Ask> {
    const { provider, fields, maxTokens } = input;
    const refusal = readRefusal(answer);
    const missing = refusal && findMissing(refusal, input);
    if (missing !== undefined) return deps.connecting.ask(caller, missing, reply, 'in passing');
    if (refusal !== undefined) return answerApproval(refusal, caller, reply);
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
