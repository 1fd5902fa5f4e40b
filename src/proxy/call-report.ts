import type { ServerResponse } from 'node:http';
import { readTraceId } from '../http/trace-context.ts';
import type { ProxiedCall, ProxyDependencies, ResolvedConnection } from './contract.ts';
import type { RequestFields } from './request-fields.ts';
import type { ProxyTarget } from './target.ts';

export type FinishedCall = {
  readonly requestId: string;
  readonly target: ProxyTarget;
  readonly fields: RequestFields;
  readonly connection: ResolvedConnection | undefined;
  readonly method: string;
  readonly response: ServerResponse;
  /** The code of the gateway's own answer, or of what cut the provider's off. */
  readonly error: string | undefined;
  readonly startedAtMs: number;
  readonly attempts: number;
};

type Listeners = Pick<ProxyDependencies, 'log' | 'accessLog' | 'metrics'>;

/**
 * Reports a finished call to access log and metrics. An error that they throw is logged and does not affect the call.
 */
export function reportCall(listeners: Listeners, finished: FinishedCall): void {
  try {
    const call = proxiedCall(finished);
    if (listeners.accessLog) listeners.accessLog(call);
    else listeners.log.info(call, 'proxied call');
    listeners.metrics?.countCall(call);
  } catch (error) {
    listeners.log.error({ requestId: finished.requestId, err: error }, 'a call could not be reported');
  }
}

function proxiedCall({
  target,
  fields,
  connection,
  response,
  error,
  startedAtMs,
  ...rest
}: FinishedCall): ProxiedCall {
  return {
    requestId: rest.requestId,
    projectId: target.projectId,
    provider: target.provider,
    connectionId: connection?.connectionId,
    endUserId: connection?.endUserId,
    traceId: readTraceId(fields.traceparent),
    method: rest.method,
    path: target.rawPath,
    status: response.headersSent ? response.statusCode : 0,
    error: error ?? (response.writableFinished ? undefined : 'cut_off'),
    durationMs: Math.round((performance.now() - startedAtMs) * 1000) / 1000,
    attempts: rest.attempts,
  };
}
