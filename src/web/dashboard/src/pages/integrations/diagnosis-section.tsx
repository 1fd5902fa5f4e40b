import { Button } from '@mantine/core';
import { type UseQueryResult, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { components } from '../../../../../../clients/node/src/api.ts';
import { api, apiQuery } from '../../api/queries.ts';
import { useTexts } from '../../texts/texts.tsx';
import { FINDING_TONES, type Finding, FindingList, useFindingTexts } from '../../ui/finding-list.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Section } from '../../ui/page.tsx';
import { ProblemNotice } from '../../ui/problem-notice.tsx';
import { StateBadge } from '../../ui/state-badge.tsx';
import { Time } from '../../ui/time.tsx';
import { useSave } from '../../ui/use-save.ts';

type Diagnosis = components['schemas']['Diagnosis'];

/** The worst finding as the state of the page; nothing until it is known. */
export function DiagnosisState({ diagnosis }: { diagnosis: Diagnosis | undefined }) {
  const { integrations: texts } = useTexts();
  const textOf = useFindingTexts();
  const worst = diagnosis?.findings[0];
  if (worst === undefined) return null;
  const words = worst.severity === 'ok' ? texts.state.works : textOf(worst).title;
  return <StateBadge tone={FINDING_TONES[worst.severity]}>{words}</StateBadge>;
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
