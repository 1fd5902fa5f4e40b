import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { api, apiQuery } from '../../../api/queries.ts';
import { forgetProject, useProjectId } from '../../../app/project.ts';
import type { Texts } from '../../../texts/area-texts.ts';
import { useLanguage, useTexts } from '../../../texts/texts.tsx';
import { useConfirm } from '../../../ui/confirm.tsx';
import { Section } from '../../../ui/page.tsx';
import { ProblemNotice } from '../../../ui/problem-notice.tsx';
import { showDone } from '../../../ui/toasts.tsx';

/** Ends the project, after saying in numbers what that breaks. */
export function DeleteProject({ name, isOwner }: { name: string; isOwner: boolean }) {
  const projectId = useProjectId();
  const { project: texts } = useTexts().settings;
  const { common } = useTexts();
  const { language } = useLanguage();
  const client = useQueryClient();
  const navigate = useNavigate();
  const confirm = useConfirm();
  const path = { projectId };
  const remove = useMutation({
    mutationFn: async () => {
      const impact = await client.fetchQuery({
        ...apiQuery('/projects/{projectId}/impact', { path }),
        staleTime: 0,
      });
      const isConfirmed = await confirm({
        title: texts.deleteConfirm(name),
        consequences: [...consequencesOf(texts, impact, language), common.cannotBeUndone],
        confirmLabel: texts.delete,
        typedName: name,
      });
      if (!isConfirmed) return false;
      await api.delete('/projects/{projectId}', { path, query: { force: 'true' } });
      return true;
    },
    onSuccess: async (isDeleted) => {
      if (!isDeleted) return;
      forgetProject(projectId);
      showDone(texts.deleted(name));
      // Before its queries go: the pages of the project must not ask for it again.
      await client.invalidateQueries({ queryKey: ['/projects'] });
      await navigate({ to: '/', replace: true });
    },
  });
  return (
    <Section
      title={texts.deleteTitle}
      lead={isOwner ? texts.deleteLead : texts.deleteOwnersOnly}
      actions={
        isOwner && (
          <Button variant="default" c="var(--bad)" loading={remove.isPending} onClick={() => remove.mutate()}>
            {texts.delete}
          </Button>
        )
      }
    >
      <ProblemNotice error={remove.error} />
    </Section>
  );
}

type Impact = {
  readonly connections: number;
  readonly users: number;
  readonly revocations: boolean;
  readonly polls: number;
  readonly destinations: number;
  readonly isAtLeast?: boolean;
};

type ProjectTexts = Texts['settings']['project'];
type Format = (count: number) => string;

/** A sentence for each thing that ends with the project. */
function consequencesOf(texts: ProjectTexts, impact: Impact, language: string): string[] {
  const { format } = new Intl.NumberFormat(language);
  const { connections, revocations, polls, destinations } = impact;
  return [
    describeLoss(texts, impact, format),
    ...(revocations && connections > 0 ? [texts.breaksRevoked] : []),
    ...(polls + destinations > 0 ? [describeEvents(texts, impact, format)] : []),
    texts.breaksKeys,
    texts.breaksLog,
  ];
}

function describeLoss(texts: ProjectTexts, impact: Impact, format: Format): string {
  const { connections, users, isAtLeast = false } = impact;
  if (connections === 0) return texts.breaksNothing;
  const breaks = isAtLeast ? texts.breaksAtLeast : texts.breaks;
  return breaks({
    connections: texts.connectionCount({ count: connections, shown: format(connections) }),
    users: texts.ofUserCount({ count: users, shown: format(users) }),
  });
}

function describeEvents(texts: ProjectTexts, { destinations, polls }: Impact, format: Format): string {
  return texts.breaksDestinations({
    destinations: texts.destinationCount({ count: destinations, shown: format(destinations) }),
    polls: texts.pollCount({ count: polls, shown: format(polls) }),
  });
}
