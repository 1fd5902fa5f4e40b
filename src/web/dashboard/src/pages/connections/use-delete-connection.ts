import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type Provider, providerQuery } from '../../api/catalog.ts';
import { statusOf } from '../../api/problem.ts';
import { api, refresh } from '../../api/queries.ts';
import type { Connection } from '../../app/connect-popup.ts';
import { useTexts } from '../../texts/texts.tsx';
import { useConfirm } from '../../ui/confirm.tsx';
import { showDone, showProblem } from '../../ui/toasts.tsx';
import { accountOf } from './account-name.ts';
import { useUserName } from './people.ts';

/** Asks, with what will happen, and deletes. The user can connect the account again, so no name has to be typed. */
export function useDeleteConnection(connection: Connection): () => void {
  const texts = useTexts();
  const { remove: words, actions } = texts.connections;
  const client = useQueryClient();
  const navigate = useNavigate();
  const confirm = useConfirm();
  const nameOf = useUserName();
  const remove = useMutation({
    mutationFn: async () => {
      const provider = await readProvider(client, connection);
      const name = provider?.name ?? connection.serviceProvider;
      const isConfirmed = await confirm({
        title: words.title(accountOf(connection, texts.connections)),
        consequences: [
          words.calls({ user: nameOf(connection.userId), provider: name }),
          provider?.supportsRevocation ? words.revoked(name) : words.erased(name),
          words.again,
        ],
        confirmLabel: actions.delete,
      });
      if (!isConfirmed) return;
      await api.delete('/connections/{id}', { path: { id: connection.id } });
      await navigate({ to: '/p/$projectId/connections', params: { projectId: connection.projectId } });
      showDone(words.done);
      await refresh(client, '/projects/{projectId}/connections', '/connections', '/integrations');
    },
    onError: (error) => showProblem(error, texts),
  });
  return () => remove.mutate();
}

/** Waited for, as whether tokens are revoked depends on it; undefined where the catalog has no such provider any more. */
async function readProvider(
  client: QueryClient,
  { serviceProvider, projectId }: Connection,
): Promise<Provider | undefined> {
  try {
    return await client.fetchQuery(providerQuery(serviceProvider, projectId));
  } catch (error) {
    if (statusOf(error) === 404) return undefined;
    throw error;
  }
}
