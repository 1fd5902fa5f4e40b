import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Admission } from './admission.ts';
import type { Breaker } from './breaker.ts';
import type { BeginCallTrace, CallTrace } from './call-trace.ts';
import type { ConnectionPlaces } from './connection-places.ts';
import type { ProxyDependencies } from './contract.ts';
import type { Deadlines } from './deadlines.ts';
import type { ProviderResponse } from './exchange.ts';
import type { Forward } from './forward.ts';
import type { MandateCheck } from './mandate-check.ts';
import type { RequestFields } from './request-fields.ts';
import type { LinkRewriter } from './rewrite-links.ts';
import type { ProxyTarget } from './target.ts';
import type { CallLimits } from './timeouts.ts';

/** What all calls of one proxy share. */
export type CallEnvironment = {
  readonly deps: ProxyDependencies;
  readonly limits: CallLimits;
  readonly forward: Forward;
  readonly deadlines: Deadlines;
  readonly admission: Admission;
  readonly places: ConnectionPlaces;
  readonly breaker: Breaker;
  readonly checkMandate: MandateCheck;
  /** Undefined where nothing is traced. */
  readonly beginTrace: BeginCallTrace | undefined;
};

/** One call, as it arrived. */
export type CallOptions = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  readonly target: ProxyTarget;
  readonly fields: RequestFields;
  /** The caller waits for `100 Continue`, which the proxy sends when it wants the body. */
  readonly isContinueAwaited: boolean;
  readonly trace: CallTrace | undefined;
};

/** The ways in which a call ends. `relay` throws for a head that Node cannot write, `refuse` never. */
export type CallOutcome = {
  relay(answer: ProviderResponse, links: LinkRewriter | undefined): void;
  refuse(thrown: unknown): void;
};
