import { Button } from '@mantine/core';
import { Suspense, useState } from 'react';
import { apiList } from '../../../api/queries.ts';
import type { Schema } from '../../../api/schemas.ts';
import { useProjectId } from '../../../app/project.ts';
import { useCanEdit } from '../../../app/session.ts';
import { useLanguage, useTexts } from '../../../texts/texts.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { lazyPart } from '../../../ui/lazy-part.ts';
import type { FilterDefinition } from '../../../ui/list/filters.ts';
import { ResourceList } from '../../../ui/list/resource-list.tsx';
import type { Column } from '../../../ui/list/table.tsx';
import { Time } from '../../../ui/time.tsx';
import { SectionHead } from '../section-head.tsx';
import styles from '../settings.module.css';
import { useProject } from '../use-project.ts';

const QuotaDialog = lazyPart(() => import('./quota-dialog.tsx'), 'QuotaDialog');

type Organization = Schema<'OrganizationList'>['organizations'][number];

/** Organizations that tokens have named, and how many calls each may make in a day. */
export function OrganizationsSection() {
  const { organizations: texts, settings } = useTexts();
  const projectId = useProjectId();
  const [edited, setEdited] = useState<Organization>();
  const filters: readonly FilterDefinition[] = [
    { name: 'organizationId', label: texts.searchExact, kind: 'search' },
  ];
  return (
    <>
      <SectionHead title={settings.sections.organizations} lead={texts.lead} />
      <ResourceList<Organization>
        label={settings.sections.organizations}
        filters={filters}
        query={(query) => apiList('/projects/{projectId}/organizations', { path: { projectId }, query })}
        rowKey={({ id }) => id}
        columns={useColumns(projectId, setEdited)}
        empty={<EmptyState icon="users" title={texts.emptyTitle} text={texts.emptyText} />}
      />
      <Suspense>
        {edited && <QuotaDialog organization={edited} onClose={() => setEdited(undefined)} />}
      </Suspense>
    </>
  );
}

function useColumns(projectId: string, onEdit: (organization: Organization) => void): Column<Organization>[] {
  const { organizations: texts, settings } = useTexts();
  const { users } = settings;
  const canEdit = useCanEdit(projectId);
  return [
    {
      key: 'organization',
      header: texts.organizationId,
      render: ({ organizationId }) => <strong className="breaks">{organizationId}</strong>,
    },
    {
      key: 'quota',
      header: texts.quota,
      render: ({ callsPerDay }) => <Quota own={callsPerDay} />,
    },
    {
      key: 'seen',
      header: users.firstSeen,
      render: ({ createdAt }) => <Time at={createdAt} />,
      wide: true,
    },
    {
      key: 'actions',
      header: '',
      align: 'end',
      render: (organization) =>
        canEdit && (
          <span className={styles.links}>
            <a href={`/v1/projects/${projectId}/organizations/${organization.id}/export`} download>
              {users.export}
            </a>
            <Button variant="default" size="compact-sm" onClick={() => onEdit(organization)}>
              {texts.change}
            </Button>
          </span>
        ),
    },
  ];
}

/** Its own quota, else what the project gives to each. */
function Quota({ own }: { readonly own: number | null }) {
  const { organizations: texts, settings } = useTexts();
  const { language } = useLanguage();
  const ofEach = useProject().data?.limits.organizationCallsPerDay;
  if (own !== null)
    return (
      <span className={styles.person}>
        {own.toLocaleString(language)}
        <small>{texts.own}</small>
      </span>
    );
  if (ofEach === undefined) return <span className="soft">{settings.project.quotaNone}</span>;
  return (
    <span className={styles.person}>
      {ofEach.toLocaleString(language)}
      <small>{texts.ofProject}</small>
    </span>
  );
}
