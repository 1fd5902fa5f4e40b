import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { api, refresh } from '../../api/queries.ts';
import type { Connection } from '../../app/connect-popup.ts';
import { useTexts } from '../../texts/texts.tsx';
import { useConfirm } from '../../ui/confirm.tsx';
import { useProvider } from '../../ui/provider-mark.tsx';
import { showDone, showProblem } from '../../ui/toasts.tsx';
import { accountOf } from './account-name.ts';
import { useUserName } from './people.ts';

/** Asks, with what will happen, and deletes. The user can connect the account again, so no name has to be typed. */
export function useDeleteConnection(connection: Connection): () => Promise<void> {
  const texts = useTexts();
  const { remove: words, actions } = texts.connections;
  const client = useQueryClient();
  const navigate = useNavigate();
  const confirm = useConfirm();
  const provider = useProvider(connection.serviceProvider);
  const nameOf = useUserName();
  const remove = useMutation({
    mutationFn: () => api.delete('/connections/{id}', { path: { id: connection.id } }),
    onSuccess: async () => {
      await navigate({ to: '/p/$projectId/connections', params: { projectId: connection.projectId } });
      showDone(words.done);
      await refresh(client, '/projects/{projectId}/connections', '/connections', '/integrations');
    },
    onError: (error) => showProblem(error, texts),
  });
  return async () => {
    const name = provider?.name ?? connection.serviceProvider;
    const isConfirmed = await confirm({
      title: words.title(accountOf(connection, texts.connections)),
      consequences: [
        words.calls(nameOf(connection.userId), name),
        provider?.supportsRevocation ? words.revoked(name) : words.erased(name),
        words.again,
      ],
      confirmLabel: actions.delete,
    });
    if (isConfirmed) remove.mutate();
  };
}
