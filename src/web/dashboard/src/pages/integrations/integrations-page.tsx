import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { components } from '../../../../../../clients/node/src/api.ts';
import { useProjectId } from '../../app/project.ts';
import { useFindProvider } from '../../app/providers.ts';
import { useCanEdit } from '../../app/session.ts';
import type { Texts } from '../../texts/area-texts.ts';
import { useTexts } from '../../texts/texts.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { useFindingTexts } from '../../ui/finding-list.tsx';
import { Icon } from '../../ui/icons.tsx';
import { LinkButton } from '../../ui/link.tsx';
import { FilterBar } from '../../ui/list/filter-bar.tsx';
import { type FilterDefinition, type Filters, useFilters } from '../../ui/list/filters.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { PageHead } from '../../ui/page.tsx';
import { QueryProblem } from '../../ui/query-problem.tsx';
import { IntegrationCards } from './integration-cards.tsx';
import { stateQueries } from './integration-queries.ts';
import { IntegrationTable } from './integration-table.tsx';
import type { ListedIntegration, Row } from './row.ts';
import { findState } from './state.ts';

type States = components['schemas']['IntegrationStates'];

/** Up to so many, cards say more at a glance than rows. */
const CARDS_MAX = 8;

/** `/p/<projectId>/integrations`: how each integration does, without asking a single provider. */
export function IntegrationsPage() {
  const { integrations: texts } = useTexts();
  const projectId = useProjectId();
  const canEdit = useCanEdit(projectId);
  const list = useQuery(stateQueries(projectId).list);
  return (
    <>
      <PageHead
        title={texts.title}
        actions={canEdit && list.data?.integrations.length !== 0 && <CreateButton projectId={projectId} />}
      />
      <Loaded query={list}>
        {({ integrations, nextCursor }) =>
          integrations.length === 0 ? (
            <EmptyState
              icon="integrations"
              title={texts.emptyTitle}
              text={texts.emptyText}
              action={canEdit && <CreateButton projectId={projectId} />}
            />
          ) : (
            <>
              <Integrations projectId={projectId} integrations={integrations} />
              {nextCursor !== null && <p className="soft small">{texts.list.moreThanShown}</p>}
            </>
          )
        }
      </Loaded>
    </>
  );
}

function CreateButton({ projectId }: { projectId: string }) {
  const { integrations: texts } = useTexts();
  return (
    <LinkButton
      to="/p/$projectId/integrations/new"
      params={{ projectId }}
      leftSection={<Icon name="plus" size={15} />}
    >
      {texts.create}
    </LinkButton>
  );
}

type IntegrationsProps = { readonly projectId: string; readonly integrations: readonly ListedIntegration[] };

function Integrations({ projectId, integrations }: IntegrationsProps) {
  const { integrations: texts, common } = useTexts();
  const { states: query } = stateQueries(projectId);
  const states = useQuery(query);
  const rows = useRows(integrations, states.data);
  const definitions = filtersOf(texts);
  const { filters, setFilter } = useFilters(definitions);
  const shown = rows.filter((row) => fits(row, filters));
  // Without the states nothing is known to match one.
  const isWaiting = filters.state !== undefined && states.data === undefined;
  return (
    <>
      <QueryProblem queries={[states]} />
      {integrations.length <= CARDS_MAX ? (
        <IntegrationCards projectId={projectId} rows={rows} />
      ) : (
        <>
          <FilterBar definitions={definitions} filters={filters} setFilter={setFilter} />
          {shown.length > 0 && <IntegrationTable projectId={projectId} rows={shown} />}
          {shown.length === 0 && !isWaiting && <p className="soft">{common.noMatches}</p>}
        </>
      )}
    </>
  );
}

/** The integrations with what else the list shows of them, which comes by queries of its own. */
function useRows(integrations: readonly ListedIntegration[], known: States | undefined): readonly Row[] {
  const { integrations: texts } = useTexts();
  const findingTexts = useFindingTexts();
  const findProvider = useFindProvider(integrations.map(({ serviceProvider }) => serviceProvider));
  const states = useMemo(() => new Map(known?.states.map((state) => [state.integrationId, state])), [known]);
  return integrations.map((integration) => {
    const provider = findProvider(integration.serviceProvider);
    const state = known && findState(states.get(integration.id), integration, texts, findingTexts);
    const name = integration.name ?? provider?.name ?? integration.serviceProvider;
    return { integration, provider, name, state };
  });
}

function filtersOf(texts: Texts['integrations']): FilterDefinition[] {
  return [
    { name: 'q', label: texts.list.search, kind: 'search' },
    {
      name: 'state',
      label: texts.list.state,
      kind: 'choice',
      options: [
        { value: 'attention', label: texts.list.attention },
        { value: 'fine', label: texts.list.fine },
        { value: 'unchecked', label: texts.list.unchecked },
      ],
    },
  ];
}

function fits({ name, integration, state }: Row, { q = '', state: wanted }: Filters): boolean {
  const text = `${name} ${integration.serviceProvider} ${integration.clientId ?? ''}`.toLowerCase();
  return text.includes(q.toLowerCase()) && (wanted === undefined || state?.group === wanted);
}
