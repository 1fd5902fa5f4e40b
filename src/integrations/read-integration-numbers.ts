import type { Integration } from './integration.ts';
import type { IntegrationNumbers } from './integrations.schema.ts';

const DAY_MS = 24 * 3_600_000;

type Filter = {
  readonly integrationIds: readonly string[];
  readonly projectIds: readonly string[];
  readonly since: Date;
};

type CallNumbers = Pick<IntegrationNumbers, 'callsDay' | 'errorsDay' | 'lastCallAt'>;

export type NumbersInput = {
  /** Connections of each of the integrations that has any, by its id. */
  countConnectionsOf(
    integrationIds: readonly string[],
  ): Promise<ReadonlyMap<string, Pick<IntegrationNumbers, 'connections' | 'reauthorizationRequired'>>>;
  /** Calls of each of the integrations that had any, by its id. */
  sumCallsOf(filter: Filter): Promise<ReadonlyMap<string, CallNumbers>>;
  now(): number;
};

const NO_CONNECTIONS = { connections: 0, reauthorizationRequired: 0 };
const NO_CALLS: CallNumbers = { callsDay: 0, errorsDay: 0, lastCallAt: null };

/** What a list shows of each integration: two queries for a page, whatever its length. */
export function createReadIntegrationNumbers(deps: NumbersInput) {
  return async (
    integrations: readonly Pick<Integration, 'id' | 'projectId'>[],
  ): Promise<Map<string, IntegrationNumbers>> => {
    const integrationIds = integrations.map(({ id }) => id);
    const projectIds = [...new Set(integrations.map(({ projectId }) => projectId))];
    const counted = await deps.countConnectionsOf(integrationIds);
    const called = await deps.sumCallsOf({
      integrationIds,
      projectIds,
      since: new Date(deps.now() - DAY_MS),
    });
    return new Map(
      integrationIds.map((id) => [
        id,
        { ...(counted.get(id) ?? NO_CONNECTIONS), ...(called.get(id) ?? NO_CALLS) },
      ]),
    );
  };
}
