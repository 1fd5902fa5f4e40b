import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { api, apiQuery } from '../../../api/queries.ts';
import { forgetProject, useProjectId } from '../../../app/project.ts';
import type { Texts } from '../../../texts/area-texts.ts';
import { useLanguage, useTexts } from '../../../texts/texts.tsx';
import { Section } from '../../../ui/page.tsx';
import { useAction } from '../../../ui/use-action.ts';

/** Ends the project, after saying in numbers what that breaks. */
export function DeleteProject({ name, isOwner }: { name: string; isOwner: boolean }) {
  const { settings, common } = useTexts();
  const { project: texts } = settings;
  const { language } = useLanguage();
  const projectId = useProjectId();
  const client = useQueryClient();
  const navigate = useNavigate();
  const path = { projectId };
  const remove = useAction({
    question: async () => {
      const impactQuery = apiQuery('/projects/{projectId}/impact', { path });
      const impact = await client.fetchQuery({ ...impactQuery, staleTime: 0 });
      return {
        title: texts.deleteConfirm(name),
        consequences: [...describeImpact(texts, impact, language), common.cannotBeUndone],
        confirmLabel: texts.delete,
        typedName: name,
      };
    },
    send: () => api.delete('/projects/{projectId}', { path, query: { force: 'true' } }),
    done: texts.deleted(name),
    onDone: async () => {
      await forgetProject(client, projectId);
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
      {null}
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
function describeImpact(texts: ProjectTexts, impact: Impact, language: string): string[] {
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
