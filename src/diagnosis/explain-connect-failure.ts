import type { Integration } from '../integrations/integration.ts';
import { type FailedConnect, findingOfFailure } from './connect-failure-findings.ts';
import type { Finding } from './finding.ts';
import type { ContextOf } from './integration-context.ts';

type FailedSession = FailedConnect & {
  readonly provider: string | undefined;
  readonly session: { readonly integrationId: string | null; readonly projectId: string } | undefined;
};

/** Answers the finding that the activity record of a failed authorization names. */
export function createExplainConnectFailure(deps: {
  contextOf: ContextOf;
  findIntegration(id: string, projectId: string): Promise<Integration | undefined>;
}) {
  return async ({ session, provider, ...failed }: FailedSession): Promise<Finding> => {
    const id = session?.integrationId ?? null;
    const integration = id === null ? undefined : await deps.findIntegration(id, session?.projectId ?? '');
    const context = integration
      ? await deps.contextOf(integration)
      : { provider: provider ?? 'the provider', redirectUrl: '', scopes: [] };
    return findingOfFailure(failed, context);
  };
}
