import type { ErrorCode } from '../../src/http/error-codes.ts';

/** Who has to do something, so that the next request works. */
export type Mender = 'caller' | 'user' | 'operator' | 'provider' | 'none';

/** Where an operator looks: log, metric, finding, page of the dashboard. */
export const PLACES = {
  request: 'log line of the request id (`route`, `status`, `errorCode`)',
  call: 'dashboard: Calls, by the request id; log line of the request id (`provider`, `connectionId`, `errorCode`); metric `gateway_proxy_calls_total{outcome}`',
  token:
    'log line of the request id (`principal`, `principalId`); dashboard: project settings, signing keys and API keys; activity',
  operator: 'dashboard: own account, members; activity; `npm run operator` where nobody gets in',
  mandate: 'dashboard: Mandates, and Calls with the mandate and entry of each; `POST /v1/mandates/explain`',
  approval: 'dashboard: Approvals; events `approval.*`',
  agent: 'dashboard: project settings, agents; activity `agent_*`; log line of the request id',
  connection:
    'dashboard: the connection, its health and timeline; `GET /v1/connections/{id}/health`; metric `gateway_token_refreshes_total`',
  integration: 'dashboard: the integration, its findings; `GET /v1/integrations/{id}/diagnosis`',
  connect:
    'activity `connect_session.failed` with its findings; log line `an account could not be connected`; metric `gateway_connect_failures_total{error}`',
  events: 'dashboard: Events, destinations and deliveries; metric `gateway_event_deliveries_total{outcome}`',
  polls: 'dashboard: Events, polls; metric `gateway_poll_runs_total{outcome}`',
  webhooks: 'dashboard: the integration, webhooks received; metric `gateway_webhooks_total{outcome}`',
  project: 'dashboard: project settings; activity of the project',
  gateway:
    'dashboard: Gateway; `/readyz`; metrics `gateway_store_up`, `gateway_store_pool_connections`, `process_*`, `nodejs_*`',
} as const;

export type Place = keyof typeof PLACES;

/** Who mends it, where to look, and what it usually comes from. */
export type Help = readonly [mender: Mender, place: Place, causes: string];

export type HelpOf<Code extends ErrorCode> = Readonly<Record<Code, Help>>;
