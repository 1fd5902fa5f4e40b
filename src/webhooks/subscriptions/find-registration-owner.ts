import type { Credentials } from '../../credentials/create-credentials.ts';
import type { IntegrationsStore } from '../../integrations/integrations.store.ts';
import type { Kit } from '../../platform/kit.ts';
import type { Providers } from '../../providers/custom-providers.ts';
import { describeWebhooks } from '../message/description.ts';

/**
 * Finds the integration whose webhooks are registered, also one that is being erased, since what it has registered is
 * removed. Undefined where its provider has no webhooks.
 */
export function createFindRegistrationOwner(
  deps: Pick<Kit, 'db'> &
    Pick<Credentials, 'clientOf'> & {
      readonly providers: Providers;
      readonly integrations: Pick<IntegrationsStore, 'findEvenDeleted'>;
    },
) {
  return async (integrationId: string, projectId: string) => {
    const integration = await deps.integrations.findEvenDeleted(deps.db, integrationId, [projectId]);
    if (integration === undefined) return undefined;
    const { serviceProvider, grant, variables } = integration;
    const provider = await deps.providers.find(projectId, serviceProvider, grant);
    const description = provider && describeWebhooks(provider);
    if (description === undefined) return undefined;
    return { description, client: await deps.clientOf(integration), variables };
  };
}
