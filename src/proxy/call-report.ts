import type { ServerResponse } from 'node:http';
import type { TokenRefusal } from '../http/token-refusal.ts';
import { readTraceId } from '../http/trace-context.ts';
import type { CallTiming } from './call-timing.ts';
import type { CallTrace } from './call-trace.ts';
import type { ProxiedCall, ProxyDependencies, ResolvedConnection, VerifiedUser } from './contract.ts';
import { isPreflight } from './cors.ts';
import type { RequestFields } from './request-fields.ts';
import type { ProxyTarget } from './target.ts';

type FinishedCall = {
  readonly requestId: string;
  readonly target: ProxyTarget;
  readonly fields: RequestFields;
  readonly connection: ResolvedConnection | undefined;
  readonly method: string;
  readonly response: ServerResponse;
  /** The code of the gateway's own answer, or of what cut the provider's off. */
  readonly error: string | undefined;
  readonly refusal: TokenRefusal | undefined;
  readonly timing: CallTiming;
  readonly requestBytes: number;
  readonly user: VerifiedUser | undefined;
  readonly mandateEntries: readonly number[] | undefined;
  readonly attempts: number;
  readonly trace: CallTrace | undefined;
  /** The answer is an event stream, which either side ends when it likes. */
  readonly isOpenStream: boolean;
};

type Listeners = Pick<ProxyDependencies, 'log' | 'accessLog' | 'metrics' | 'recordCall'>;

/**
 * Reports a finished call to access log, metrics and recorder. An error that they throw is logged and does not affect the call.
 */
export function reportCall(listeners: Listeners, finished: FinishedCall): void {
  try {
    const call = proxiedCall(finished);
    finished.trace?.end(call);
    if (listeners.accessLog) listeners.accessLog(call);
    else listeners.log.info(call, 'proxied call');
    listeners.metrics?.countCall(call);
    // The browser's question before a call is none of the application's calls.
    if (!isPreflight(finished.method, finished.fields)) listeners.recordCall?.(call, finished.user);
  } catch (error) {
    listeners.log.error({ requestId: finished.requestId, err: error }, 'a call could not be reported');
  }
}

/** Reads the fields one by one: a rest pattern copied all of them with every call. */
function proxiedCall(finished: FinishedCall): ProxiedCall {
  const { target, connection, response, timing, user } = finished;
  const { durationMs, providerMs } = timing.read();
  return {
    requestId: finished.requestId,
    projectId: target.projectId,
    provider: target.provider,
    connectionId: connection?.connectionId,
    integrationId: connection?.integrationId,
    endUserId: connection?.endUserId,
    isOfOrganization: connection?.organization !== undefined,
    traceId: readTraceId(finished.fields.traceparent),
    method: finished.method,
    path: target.rawPath,
    status: response.headersSent ? response.statusCode : 0,
    error: finished.error ?? (response.writableFinished || finished.isOpenStream ? undefined : 'cut_off'),
    refusal: finished.refusal,
    durationMs: Math.round(durationMs * 1000) / 1000,
    providerMs: Math.round(providerMs * 1000) / 1000,
    requestBytes: finished.requestBytes,
    responseBytes: timing.responseBytes,
    mandates: listMandates(finished),
    actors: user?.actors ?? NO_ACTORS,
    attempts: finished.attempts,
  };
}

const NO_MANDATES: ProxiedCall['mandates'] = [];
const NO_ACTORS: ProxiedCall['actors'] = [];

function listMandates({
  user,
  mandateEntries,
}: Pick<FinishedCall, 'user' | 'mandateEntries'>): ProxiedCall['mandates'] {
  const ids = user?.mandate?.ids;
  return ids === undefined ? NO_MANDATES : ids.map((id, index) => ({ id, entry: mandateEntries?.[index] }));
}
