import { Button } from '@mantine/core';
import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import type { components } from '../../../../../../clients/node/src/api.ts';
import { api, apiQuery, refresh } from '../../api/queries.ts';
import { useTexts } from '../../texts/texts.tsx';
import { type Finding, FindingList, useFindingTexts } from '../../ui/finding-list.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Section } from '../../ui/page.tsx';
import { ProblemNotice } from '../../ui/problem-notice.tsx';
import { StateBadge } from '../../ui/state-badge.tsx';
import { Time } from '../../ui/time.tsx';
import { useSave } from '../../ui/use-save.ts';
import type { Integration } from './form-values.ts';
import { stateQueries } from './integration-queries.ts';
import { findState } from './state.ts';

type Diagnosis = components['schemas']['Diagnosis'];

type DetailStateProps = {
  readonly integration: Integration;
  readonly diagnosis: UseQueryResult<Diagnosis>;
};

/** What the state is read from; once the diagnosis is there, which may ask the provider. */
function useStateOf({ integration, diagnosis }: DetailStateProps) {
  const { list, states } = stateQueries(integration.projectId);
  return { numbered: useQuery(list), known: useQuery({ ...states, enabled: !diagnosis.isPending }) };
}

/** The state of the page, as the list and Home have it; nothing until it is known. */
export function DetailState({ integration, diagnosis }: DetailStateProps) {
  const { integrations: texts } = useTexts();
  const findingTexts = useFindingTexts();
  const client = useQueryClient();
  const { numbered, known } = useStateOf({ integration, diagnosis });
  const { dataUpdatedAt } = diagnosis;
  // A diagnosis may ask the provider: what the state was read from before it is old.
  useEffect(() => {
    if (dataUpdatedAt > 0) void refresh(client, '/projects/{projectId}/integration-states');
  }, [client, dataUpdatedAt]);
  const state = known.data?.states.find(({ integrationId }) => integrationId === integration.id);
  if (state === undefined || numbered.isPending) return null;
  const listed = numbered.data?.integrations.find(({ id }) => id === integration.id);
  const shown = findState(state, listed ?? { ...integration, numbers: undefined }, texts, findingTexts);
  return <StateBadge tone={shown.tone}>{shown.words}</StateBadge>;
}

/** What of the state could not be read. */
export function DetailStateProblem(props: DetailStateProps) {
  const { numbered, known } = useStateOf(props);
  return <ProblemNotice error={known.error ?? numbered.error} />;
}

type DiagnosisSectionProps = {
  readonly query: UseQueryResult<Diagnosis>;
  readonly integrationId: string;
  /** Of the provider. */
  readonly name: string;
  readonly canEdit: boolean;
  readonly actionOf: (finding: Finding) => ReactNode;
};

/** What is wrong and what to do about it, with a way to ask the provider again. */
export function DiagnosisSection({ query, integrationId, name, canEdit, actionOf }: DiagnosisSectionProps) {
  const { detail: texts } = useTexts().integrations;
  const client = useQueryClient();
  const path = { id: integrationId };
  const check = useSave({
    send: () => api.get('/integrations/{id}/diagnosis', { path, query: { refresh: 'true' } }),
    onDone: (diagnosis) =>
      client.setQueryData(apiQuery('/integrations/{id}/diagnosis', { path }).queryKey, diagnosis),
    refresh: ['/projects/{projectId}/integration-states', '/integrations/{id}/secrets'],
  });
  const checkedAt = query.data?.checkedAt;
  const lead =
    query.data &&
    (checkedAt ? (
      <>
        {texts.checkedAt} <Time at={checkedAt} />
      </>
    ) : (
      texts.neverChecked
    ));
  return (
    <Section
      title={texts.diagnosis}
      lead={lead}
      actions={
        canEdit && (
          <Button
            variant="default"
            size="compact-sm"
            leftSection={<Icon name="refresh" size={14} />}
            loading={check.isPending}
            onClick={() => check.mutate()}
          >
            {texts.checkAgain}
          </Button>
        )
      }
    >
      <ProblemNotice error={check.problem} />
      <Loaded query={query} skeleton={<p className="soft">{texts.checking(name)}</p>}>
        {({ findings }) => <FindingList findings={findings} actionOf={actionOf} />}
      </Loaded>
    </Section>
  );
}
