import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { api, apiQuery } from '../../../api/queries.ts';
import { forgetProject, useProjectId } from '../../../app/project.ts';
import type { Texts } from '../../../texts/area-texts.ts';
import { useTexts } from '../../../texts/texts.tsx';
import { useConfirm } from '../../../ui/confirm.tsx';
import { Section } from '../../../ui/page.tsx';
import { ProblemNotice } from '../../../ui/problem-notice.tsx';
import { showDone } from '../../../ui/toasts.tsx';

/** Ends the project, after saying in numbers what that breaks. */
export function DeleteProject({ name, isOwner }: { name: string; isOwner: boolean }) {
  const projectId = useProjectId();
  const { project: texts } = useTexts().settings;
  const { common } = useTexts();
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
        consequences: [...consequencesOf(texts, impact), common.cannotBeUndone],
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

/** A sentence for each thing that ends with the project. */
function consequencesOf(texts: Texts['settings']['project'], impact: Impact): string[] {
  const { connections, users, revocations, polls, destinations, isAtLeast = false } = impact;
  return [
    texts.breaks(connections, users, isAtLeast),
    ...(revocations && connections > 0 ? [texts.breaksRevoked] : []),
    ...(polls + destinations > 0 ? [texts.breaksDestinations(destinations, polls)] : []),
    texts.breaksKeys,
    texts.breaksLog,
  ];
}
