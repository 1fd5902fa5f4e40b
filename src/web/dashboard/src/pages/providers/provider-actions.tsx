import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { Provider } from '../../api/catalog.ts';
import { api, refresh } from '../../api/queries.ts';
import { useTexts } from '../../texts/texts.tsx';
import { useConfirm } from '../../ui/confirm.tsx';
import { Icon } from '../../ui/icons.tsx';
import { LinkButton } from '../../ui/link.tsx';
import { showDone, showProblem } from '../../ui/toasts.tsx';

type ProviderActionsProps = { readonly projectId: string; readonly provider: Provider };

/** What can be done with a provider of one's own: use it, or delete it. */
export function ProviderActions({ projectId, provider }: ProviderActionsProps) {
  const texts = useTexts();
  const { customProviders } = texts.integrations;
  const client = useQueryClient();
  const navigate = useNavigate();
  const confirm = useConfirm();
  const remove = useMutation({
    mutationFn: () =>
      api.delete('/providers/{provider}', { path: { provider: provider.id }, query: { projectId } }),
    onSuccess: async () => {
      showDone(customProviders.deleted);
      await navigate({ to: '/providers/custom', search: { projectId } });
      await refresh(client, '/catalog', '/providers');
    },
    onError: (error) => showProblem(error, texts),
  });
  const ask = async () => {
    const isConfirmed = await confirm({
      title: customProviders.deleteTitle(provider.name),
      consequences: [customProviders.deleteText, texts.common.cannotBeUndone],
      confirmLabel: customProviders.delete,
    });
    if (isConfirmed) remove.mutate();
  };
  return (
    <>
      <Button
        variant="subtle"
        color="red"
        c="var(--bad)"
        leftSection={<Icon name="trash" size={15} />}
        onClick={ask}
        loading={remove.isPending}
      >
        {texts.common.delete}
      </Button>
      <LinkButton
        variant="default"
        to="/p/$projectId/integrations/new"
        params={{ projectId }}
        search={{ provider: provider.id }}
      >
        {customProviders.useIt}
      </LinkButton>
    </>
  );
}
