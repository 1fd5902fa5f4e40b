import { useNavigate } from '@tanstack/react-router';
import type { Provider } from '../../api/catalog.ts';
import { api } from '../../api/queries.ts';
import { useTexts } from '../../texts/texts.tsx';
import { DeleteButton } from '../../ui/delete-button.tsx';
import { LinkButton } from '../../ui/link.tsx';
import { useAction } from '../../ui/use-action.ts';

type ProviderActionsProps = { readonly projectId: string; readonly provider: Provider };

/** What can be done with a provider of one's own: use it, or delete it. */
export function ProviderActions({ projectId, provider }: ProviderActionsProps) {
  const { integrations, common } = useTexts();
  const { customProviders } = integrations;
  const navigate = useNavigate();
  const remove = useAction({
    question: {
      title: customProviders.deleteTitle(provider.name),
      consequences: [customProviders.deleteText, common.cannotBeUndone],
      confirmLabel: customProviders.delete,
    },
    send: () =>
      api.delete('/providers/{provider}', { path: { provider: provider.id }, query: { projectId } }),
    done: customProviders.deleted,
    onDone: () => navigate({ to: '/providers/custom', search: { projectId } }),
    refresh: ['/catalog', '/providers'],
  });
  return (
    <>
      <DeleteButton action={remove} />
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
