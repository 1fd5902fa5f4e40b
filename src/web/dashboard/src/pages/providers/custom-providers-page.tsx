import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { catalogQuery, type ProviderSummary } from '../../api/catalog.ts';
import { useCanEdit } from '../../app/session.ts';
import { useTexts } from '../../texts/texts.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Icon } from '../../ui/icons.tsx';
import { LinkButton, TextLink } from '../../ui/link.tsx';
import { type Column, Table } from '../../ui/list/table.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { PageHead } from '../../ui/page.tsx';
import { ProviderLogo } from '../../ui/provider-logo.tsx';
import { useChosenProject } from './chosen-project.ts';
import styles from './providers.module.css';

/** `/providers/custom`: the providers that a project describes itself. */
export function CustomProvidersPage() {
  const { customProviders: texts } = useTexts();
  const { projects, chosen } = useChosenProject();
  const navigate = useNavigate();
  return (
    <>
      <PageHead
        title={texts.title}
        lead={texts.lead}
        actions={
          projects.length > 1 &&
          chosen && (
            <Select
              aria-label={texts.project}
              data={projects.map(({ id, name }) => ({ value: id, label: name }))}
              value={chosen.id}
              allowDeselect={false}
              onChange={(projectId) =>
                projectId && navigate({ to: '/providers/custom', search: { projectId }, replace: true })
              }
            />
          )
        }
      />
      {chosen && <ProvidersOfProject key={chosen.id} projectId={chosen.id} />}
    </>
  );
}

function ProvidersOfProject({ projectId }: { projectId: string }) {
  const { customProviders: texts, integrations } = useTexts();
  const canEdit = useCanEdit(projectId);
  const query = useQuery(catalogQuery(projectId));
  const create = canEdit && (
    <LinkButton
      to="/providers/custom/$provider"
      params={{ provider: 'new' }}
      search={{ projectId }}
      leftSection={<Icon name="plus" size={15} />}
    >
      {texts.create}
    </LinkButton>
  );
  const columns: Column<ProviderSummary>[] = [
    {
      key: 'name',
      header: texts.name,
      render: ({ id, name, logoUrl }) => (
        <span className={styles.name}>
          <ProviderLogo provider={id} logoUrl={logoUrl} size={24} />
          <TextLink to="/providers/custom/$provider" params={{ provider: id }} search={{ projectId }}>
            {name}
          </TextLink>
        </span>
      ),
    },
    { key: 'id', header: texts.id, render: ({ id }) => <code>{id}</code> },
    {
      key: 'category',
      header: texts.category,
      wide: true,
      render: ({ category }) => integrations.categories[category],
    },
    { key: 'auth', header: texts.auth, wide: true, render: ({ auth }) => integrations.auth[auth] },
  ];
  return (
    <Loaded query={query}>
      {({ providers }) => {
        const own = providers.filter((provider) => provider.projectId !== null);
        if (own.length === 0)
          return <EmptyState icon="code" title={texts.emptyTitle} text={texts.emptyText} action={create} />;
        return (
          <>
            <Table
              label={texts.title}
              columns={columns}
              rows={own}
              rowKey={({ id }) => id}
              rowHref={({ id }) => `/providers/custom/${encodeURIComponent(id)}?projectId=${projectId}`}
            />
            <div className={styles.foot}>{create}</div>
          </>
        );
      }}
    </Loaded>
  );
}
