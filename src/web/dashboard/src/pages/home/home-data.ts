import type { components } from '../../../../../../clients/node/src/api.ts';
import { apiQuery } from '../../api/queries.ts';

type Schemas = components['schemas'];
export type ListedIntegration = Schemas['ListedIntegration'];
export type Overview = Schemas['ProjectOverview'];

const INTEGRATIONS_MAX = 100;

/** What Home is made of. */
export function homeQueries(projectId: string) {
  return {
    integrations: apiQuery('/integrations', {
      query: { projectId, include: 'numbers', limit: INTEGRATIONS_MAX },
    }),
    overview: apiQuery('/projects/{projectId}/overview', { path: { projectId } }),
  };
}

/** How far the project is on its way to the first call of its application. */
export type Progress = {
  readonly integrations: readonly ListedIntegration[];
  readonly hasIntegration: boolean;
  /** The provider of the operator's own test account; null: none is connected. */
  readonly testProvider: string | null;
  /** Anyone's, the operator's trials included. */
  readonly hasCall: boolean;
  /** A call that worked for a user of the application. */
  readonly isDone: boolean;
};

export function findProgress(
  { integrations }: Schemas['IntegrationList'],
  { firstSteps }: Overview,
): Progress {
  const { testProvider, called, calledForUser } = firstSteps;
  const hadCalls = integrations.some(({ numbers }) => numbers?.lastCallAt);
  return {
    integrations,
    hasIntegration: integrations.length > 0,
    testProvider,
    hasCall: called || hadCalls,
    // Calls are kept for some time only: a project whose last ones are forgotten needs no first steps.
    isDone: calledForUser || (hadCalls && !called),
  };
}
