import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { components } from '../../../../../../clients/node/src/api.ts';
import type { Provider } from '../../api/catalog.ts';
import { api, refresh } from '../../api/queries.ts';
import type { Texts } from '../../texts/area-texts.ts';
import { useLanguage, useTexts } from '../../texts/texts.tsx';
import { useConfirm } from '../../ui/confirm.tsx';
import { Icon } from '../../ui/icons.tsx';
import { showDone, showProblem } from '../../ui/toasts.tsx';
import type { Integration } from './form-values.ts';

type Impact = components['schemas']['DeletionImpact'];

type DeleteButtonProps = {
  readonly projectId: string;
  readonly integration: Integration;
  readonly provider: Provider | undefined;
  readonly name: string;
};

/** Deletes after saying in numbers what breaks; the name is asked for only where users lose their connections. */
export function DeleteButton({ projectId, integration, name }: DeleteButtonProps) {
  const texts = useTexts();
  const { detail } = texts.integrations;
  const { language } = useLanguage();
  const client = useQueryClient();
  const navigate = useNavigate();
  const confirm = useConfirm();
  const path = { id: integration.id };
  const remove = useMutation({
    mutationFn: async () => {
      const impact = await api.get('/integrations/{id}/impact', { path });
      const hasConnections = impact.connections > 0;
      const isConfirmed = await confirm({
        title: detail.deleteTitle(name),
        consequences: consequencesOf(impact, name, language, texts),
        confirmLabel: detail.delete,
        ...(hasConnections && { typedName: name }),
      });
      if (!isConfirmed) return false;
      await api.delete('/integrations/{id}', { path, query: { force: hasConnections ? 'true' : 'false' } });
      return true;
    },
    onSuccess: async (isDeleted) => {
      if (!isDeleted) return;
      showDone(detail.deleted);
      await navigate({ to: '/p/$projectId/integrations', params: { projectId } });
      await refresh(client, '/integrations', '/projects/{projectId}/integration-states');
    },
    onError: (error) => showProblem(error, texts),
  });
  return (
    <Button
      variant="subtle"
      color="red"
      c="var(--bad)"
      leftSection={<Icon name="trash" size={15} />}
      onClick={() => remove.mutate()}
      loading={remove.isPending}
    >
      {texts.common.delete}
    </Button>
  );
}

function consequencesOf(impact: Impact, name: string, language: string, texts: Texts): string[] {
  const { detail } = texts.integrations;
  const shown = (count: number) => count.toLocaleString(language);
  if (impact.connections === 0) return [detail.deleteNoConnections];
  return [
    detail.deleteConnections({ connections: shown(impact.connections), users: shown(impact.users) }),
    impact.revocations ? detail.deleteRevoked(name) : detail.deleteNotRevoked(name),
    texts.common.cannotBeUndone,
  ];
}
