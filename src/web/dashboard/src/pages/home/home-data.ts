import type { components } from '../../../../../../clients/node/src/api.ts';
import { apiQuery } from '../../api/queries.ts';

type Schemas = components['schemas'];
export type ListedIntegration = Schemas['ListedIntegration'];

const INTEGRATIONS_MAX = 100;
const CALLS_LOOKED_AT = 50;

/** What Home is made of. */
export function homeQueries(projectId: string) {
  const path = { projectId };
  return {
    integrations: apiQuery('/integrations', {
      query: { projectId, include: 'numbers', limit: INTEGRATIONS_MAX },
    }),
    connections: apiQuery('/projects/{projectId}/connections', { path, query: { limit: 1 } }),
    calls: apiQuery('/projects/{projectId}/calls', { path, query: { limit: CALLS_LOOKED_AT } }),
  };
}

/** How far the project is on its way to the first call of its application. */
export type Progress = {
  readonly integrations: readonly ListedIntegration[];
  readonly hasIntegration: boolean;
  readonly hasConnection: boolean;
  /** Anyone's, the operator's trials included. */
  readonly hasCall: boolean;
  /** A call that worked for a user of the application. */
  readonly isDone: boolean;
};

const OPERATOR_PREFIX = 'operator:';

export function findProgress(
  { integrations }: Schemas['IntegrationList'],
  { connections }: Schemas['ConnectionList'],
  { calls }: Schemas['CallList'],
): Progress {
  const worked = calls.filter(({ origin }) => origin !== 'gateway');
  const isOfApplication = ({ userId }: Schemas['Call']) => userId?.startsWith(OPERATOR_PREFIX) === false;
  const hadCalls = integrations.some(({ numbers }) => numbers?.lastCallAt);
  return {
    integrations,
    hasIntegration: integrations.length > 0,
    hasConnection: connections.length > 0,
    hasCall: worked.length > 0 || hadCalls,
    // Calls are kept for some time only: a project whose last ones are forgotten needs no first steps.
    isDone: worked.some(isOfApplication) || (hadCalls && calls.length === 0),
  };
}
