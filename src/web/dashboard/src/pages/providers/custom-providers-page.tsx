import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { ownProvidersQuery, type ProviderSummary } from '../../api/catalog.ts';
import { useCanEdit } from '../../app/session.ts';
import { RoleProblem } from '../../frame/role-problem.tsx';
import { useTexts } from '../../texts/texts.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Icon } from '../../ui/icons.tsx';
import { LinkButton, TextLink } from '../../ui/link.tsx';
import { type Column, Table } from '../../ui/list/table.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { PageHead } from '../../ui/page.tsx';
import { ProviderLogo } from '../../ui/provider-mark.tsx';
import { QueryProblem } from '../../ui/query-problem.tsx';
import { useChosenProject } from './chosen-project.ts';
import styles from './providers.module.css';

/** `/providers/custom`: the providers that a project describes itself. */
export function CustomProvidersPage() {
  const { customProviders: texts } = useTexts().integrations;
  const { projects, chosen, query } = useChosenProject();
  return (
    <>
      <PageHead
        title={texts.title}
        lead={texts.lead}
        actions={chosen && <ListActions projectId={chosen.id} projects={projects} />}
      />
      <QueryProblem queries={[query]} />
      {chosen && <RoleProblem projectId={chosen.id} />}
      {chosen && <ProvidersOfProject key={chosen.id} projectId={chosen.id} />}
    </>
  );
}

type ListActionsProps = {
  readonly projectId: string;
  readonly projects: readonly { readonly id: string; readonly name: string }[];
};

/** Which project's providers are shown, and the way to a new one; an empty list has that below. */
function ListActions({ projectId, projects }: ListActionsProps) {
  const { customProviders: texts } = useTexts().integrations;
  const navigate = useNavigate();
  const own = useOwnProviders(projectId).data;
  return (
    <>
      {projects.length > 1 && (
        <Select
          aria-label={texts.project}
          data={projects.map(({ id, name }) => ({ value: id, label: name }))}
          value={projectId}
          allowDeselect={false}
          onChange={(chosen) =>
            chosen && navigate({ to: '/providers/custom', search: { projectId: chosen }, replace: true })
          }
        />
      )}
      {own !== undefined && own.length > 0 && <CreateLink projectId={projectId} />}
    </>
  );
}

function CreateLink({ projectId }: { projectId: string }) {
  const { customProviders: texts } = useTexts().integrations;
  const canEdit = useCanEdit(projectId);
  if (!canEdit) return null;
  return (
    <LinkButton
      to="/providers/custom/$provider"
      params={{ provider: 'new' }}
      search={{ projectId }}
      leftSection={<Icon name="plus" size={15} />}
    >
      {texts.create}
    </LinkButton>
  );
}

function useOwnProviders(projectId: string) {
  return useQuery({ ...ownProvidersQuery(projectId), select: ({ providers }) => providers });
}

function ProvidersOfProject({ projectId }: { projectId: string }) {
  const { integrations } = useTexts();
  const { customProviders: texts } = integrations;
  const query = useOwnProviders(projectId);
  const columns: Column<ProviderSummary>[] = [
    {
      key: 'name',
      header: texts.name,
      render: ({ id, name, logoUrl }) => (
        <span className={styles.name}>
          <ProviderLogo id={id} logoUrl={logoUrl} size={24} />
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
      {(own) =>
        own.length === 0 ? (
          <EmptyState
            icon="code"
            title={texts.emptyTitle}
            text={texts.emptyText}
            action={<CreateLink projectId={projectId} />}
          />
        ) : (
          <Table
            label={texts.title}
            columns={columns}
            rows={own}
            rowKey={({ id }) => id}
            rowHref={({ id }) => `/providers/custom/${encodeURIComponent(id)}?projectId=${projectId}`}
          />
        )
      }
    </Loaded>
  );
}
