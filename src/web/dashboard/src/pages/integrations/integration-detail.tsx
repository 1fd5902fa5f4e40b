import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Suspense } from 'react';
import type { Provider } from '../../api/catalog.ts';
import type { Tagged } from '../../api/client.ts';
import { apiQuery } from '../../api/queries.ts';
import { useCanEdit } from '../../app/session.ts';
import { useTitle } from '../../frame/root.tsx';
import { useTexts } from '../../texts/texts.tsx';
import { Icon } from '../../ui/icons.tsx';
import { IdChip } from '../../ui/id-chip.tsx';
import { lazyPart } from '../../ui/lazy-part.ts';
import { ManagedByFile } from '../../ui/managed-by-file.tsx';
import { PageHead } from '../../ui/page.tsx';
import { ProviderLogo } from '../../ui/provider-mark.tsx';
import { Time } from '../../ui/time.tsx';
import { CodeSection } from './code-section.tsx';
import { ConnectTest } from './connect-test.tsx';
import { ConnectionsSection } from './connections-section.tsx';
import { DeleteIntegration } from './delete-integration.tsx';
import { DetailState, DetailStateProblem, DiagnosisSection } from './diagnosis-section.tsx';
import { EventLinks } from './event-links.tsx';
import { FactsSection } from './facts-section.tsx';
import { useFindingActions } from './finding-actions.tsx';
import { hasClient, type Integration, needsRegistering } from './form-values.ts';
import styles from './integrations.module.css';
import { OrganizationClientsSection } from './organization-clients-section.tsx';
import { ScopesSection } from './scopes-section.tsx';
import { SecretsSection } from './secrets-section.tsx';
import { SignInsSection } from './sign-ins-section.tsx';
import { SwitchedOff, SwitchOffButton } from './switch-button.tsx';
import { WorkedLine } from './worked-line.tsx';

const EditDrawer = lazyPart(() => import('./edit-drawer.tsx'), 'EditDrawer');

type IntegrationDetailProps = {
  readonly projectId: string;
  readonly tagged: Tagged<Integration>;
  /** Undefined where the catalog has no such provider any more. */
  readonly provider: Provider | undefined;
};

/** All that is known of one integration: how it does first, then what it is made of. */
export function IntegrationDetail({ projectId, tagged, provider }: IntegrationDetailProps) {
  const { integrations: texts } = useTexts();
  const integration = tagged.value;
  const canEdit = useCanEdit(projectId);
  const [isEditing, editing] = useDisclosure();
  const name = integration.name ?? provider?.name ?? integration.serviceProvider;
  const logoUrl = integration.logoUrl ?? provider?.logoUrl;
  useTitle(name);
  const diagnosis = useQuery(apiQuery('/integrations/{id}/diagnosis', { path: { id: integration.id } }));
  const findings = useFindingActions({
    ...{ projectId, integration, canEdit },
    onEdit: provider && editing.open,
  });
  const isOAuth = provider !== undefined && hasClient(provider);
  return (
    <>
      <PageHead
        title={name}
        parent={{ label: texts.detail.parent, link: { to: `/p/${projectId}/integrations` } }}
        state={
          <>
            <ProviderLogo
              id={integration.serviceProvider}
              size={30}
              {...(logoUrl !== undefined && { logoUrl })}
            />
            <DetailState integration={integration} diagnosis={diagnosis} />
          </>
        }
        meta={
          <>
            <span>
              {texts.detail.integrationId} <IdChip id={integration.id} />
            </span>
            <span>
              {texts.detail.changedAt} <Time at={integration.updatedAt} />
            </span>
          </>
        }
        actions={
          canEdit && (
            <>
              {provider && (
                <Button variant="default" leftSection={<Icon name="edit" size={15} />} onClick={editing.open}>
                  {texts.detail.edit}
                </Button>
              )}
              <SwitchOffButton integration={integration} />
              <DeleteIntegration
                projectId={projectId}
                integration={integration}
                provider={provider}
                name={name}
              />
            </>
          )
        }
      />
      <DetailStateProblem integration={integration} diagnosis={diagnosis} />
      <ManagedByFile objectId={integration.id} />
      <SwitchedOff integration={integration} canEdit={canEdit} />
      {provider && canEdit && (
        <ConnectTest projectId={projectId} integration={integration} provider={provider} />
      )}
      <DiagnosisSection
        query={diagnosis}
        integrationId={integration.id}
        name={name}
        canEdit={canEdit}
        actionOf={findings.actionOf}
      />
      {findings.dialog}
      <WorkedLine
        projectId={projectId}
        provider={integration.serviceProvider}
        integrationId={integration.id}
        name={name}
      />
      <div className={styles.two}>
        <FactsSection projectId={projectId} integration={integration} provider={provider} />
        {isOAuth && needsRegistering(integration, provider) && (
          <SecretsSection integration={integration} canEdit={canEdit} />
        )}
      </div>
      <SignInsSection projectId={projectId} integration={integration} name={name} />
      {isOAuth && <ScopesSection projectId={projectId} integration={integration} provider={provider} />}
      {isOAuth && needsRegistering(integration, provider) && (
        <OrganizationClientsSection integration={integration} canEdit={canEdit} />
      )}
      <ConnectionsSection projectId={projectId} integrationId={integration.id} />
      <EventLinks integrationId={integration.id} />
      {provider && <CodeSection projectId={projectId} integration={integration} provider={provider} />}
      <Suspense>
        {provider && isEditing && <EditDrawer tagged={tagged} provider={provider} onClose={editing.close} />}
      </Suspense>
    </>
  );
}
