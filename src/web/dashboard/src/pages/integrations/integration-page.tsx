import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { providerQuery, withGrant } from '../../api/catalog.ts';
import { findStatus } from '../../api/problem.ts';
import { useProjectId } from '../../app/project.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { IntegrationDetail } from './integration-detail.tsx';
import { integrationQuery } from './integration-queries.ts';

/** `/p/<projectId>/integrations/<id>`. */
export function IntegrationPage() {
  const projectId = useProjectId();
  const { integrationId = '' } = useParams({ strict: false });
  const integration = useQuery(integrationQuery(integrationId));
  return (
    <Loaded query={integration} isPage>
      {(tagged) => <WithProvider key={integrationId} projectId={projectId} tagged={tagged} />}
    </Loaded>
  );
}

type WithProviderProps = Omit<Parameters<typeof IntegrationDetail>[0], 'provider'>;

function WithProvider({ projectId, tagged }: WithProviderProps) {
  const provider = useQuery({ ...providerQuery(tagged.value.serviceProvider, projectId), retry: false });
  // The catalog may have lost the provider; its integration can still be looked at and deleted.
  if (provider.data === undefined && findStatus(provider.error) === 404)
    return <IntegrationDetail projectId={projectId} tagged={tagged} provider={undefined} />;
  return (
    <Loaded query={provider}>
      {(found) => (
        <IntegrationDetail
          projectId={projectId}
          tagged={tagged}
          provider={withGrant(found, tagged.value.grant)}
        />
      )}
    </Loaded>
  );
}
