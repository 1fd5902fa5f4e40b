import type { Endpoint } from '../http/endpoint.ts';
import { HttpError } from '../http/errors.ts';
import type { Principal } from '../http/principal.ts';
import { parsePart } from '../http/request-input.ts';
import { isRecord } from '../lib/is-record.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { WantedObject } from './objects.ts';
import { SECTIONS } from './objects.ts';
import type { MergedSource, Step } from './source.ts';
import { readSteps } from './wanted-state.ts';

type Input = Parameters<Endpoint['handler']>[0];

/** The operations of the management API on one transaction, by their ids. */
export type Operations = ReadonlyMap<string, Endpoint>;

export type Caller = {
  readonly trx: Db;
  readonly operations: Operations;
  readonly principal: Exclude<Principal, { kind: 'end_user' }>;
  readonly request: Input['request'];
  readonly requestId: string;
  readonly source: MergedSource;
  /** Of a session that an operation renews: the browser needs them. */
  takeCookies(cookies: readonly string[]): void;
};

export type Call = {
  readonly operationId: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
};

/** What an operation refuses, by the members of the file: those that it calls otherwise. */
const MEMBERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  integration: { name: 'displayName', grant: 'authMethod' },
  poll: { integrationId: 'integration' },
};

/**
 * Calls an operation as the API would, in the transaction of the apply: the same rules, the same audit log. A refusal says
 * which object of the file it is about, and where it stands.
 */
export async function callOperation(
  caller: Caller,
  object: Pick<WantedObject, 'kind' | 'name'> & { readonly place: readonly Step[] | undefined },
  { operationId, params = {}, query = {}, body = {} }: Call,
): Promise<Readonly<Record<string, unknown>>> {
  const declared = caller.operations.get(operationId);
  if (declared === undefined) throw new Error(`there is no operation ${operationId}`);
  const { trx, principal, request, requestId } = caller;
  try {
    const reply = await declared.handler({
      params: declared.params && parsePart('params', declared.params, params),
      query: declared.query && parsePart('query', declared.query, query),
      body: declared.body && parsePart('body', declared.body, body),
      ...{ principal, request: withoutIfMatch(request), requestId },
      commitReply: (_db, work) => work(trx),
    });
    if (reply.cookies !== undefined && reply.cookies.length > 0) caller.takeCookies(reply.cookies);
    return isRecord(reply.body) ? reply.body : {};
  } catch (error) {
    throw error instanceof HttpError ? explainRefusal(caller, object, error) : error;
  }
}

/** The caller's condition is about the state of the project, and every object has a version of its own. */
function withoutIfMatch(request: Input['request']): Input['request'] {
  const { 'if-match': _ofState, ...headers } = request.headers;
  return Object.create(request, { headers: { value: headers } });
}

function explainRefusal(
  { source }: Caller,
  { kind, name, place }: Parameters<typeof callOperation>[1],
  error: HttpError,
): HttpError {
  // Where another request came between, all begins again.
  if (error.code === 'precondition_failed') return error;
  const label = `${SECTIONS[kind]} ${JSON.stringify(name)}`;
  const at = place ?? [SECTIONS[kind]];
  const within = kind === 'customProvider' ? [...at, 'definition'] : at;
  const faults = (error.errors ?? [{ path: 'body', message: error.detail }]).map(({ path, message }) => {
    const [member, ...rest] = readSteps(path);
    const known = member === undefined ? [] : [MEMBERS[kind]?.[String(member)] ?? member];
    return source.faultAt([...within, ...known, ...rest], message);
  });
  return new HttpError(error.code, {
    detail: `${label}: ${error.detail}`,
    errors: faults,
    headers: error.headers,
    extra: error.extra,
    cause: error,
  });
}
