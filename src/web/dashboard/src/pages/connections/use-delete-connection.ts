import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type Provider, providerQuery } from '../../api/catalog.ts';
import { findStatus } from '../../api/problem.ts';
import { api } from '../../api/queries.ts';
import type { Connection } from '../../app/connect-popup.ts';
import { useTexts } from '../../texts/texts.tsx';
import { useAction } from '../../ui/use-action.ts';
import { nameAccount } from './account-name.ts';
import { useUserName } from './people.ts';

/** Asks, with what will happen, and deletes. The user can connect the account again, so no name has to be typed. */
export function useDeleteConnection(connection: Connection): () => void {
  const { connections: texts } = useTexts();
  const { remove: words, actions } = texts;
  const client = useQueryClient();
  const navigate = useNavigate();
  const nameOf = useUserName();
  const { id, projectId, serviceProvider, owner } = connection;
  const remove = useAction({
    question: async () => {
      const provider = await readProvider(client, connection);
      const name = provider?.name ?? serviceProvider;
      return {
        title: words.title(nameAccount(connection, texts)),
        consequences: [
          words.calls({ user: nameOf(owner.id), provider: name }),
          provider?.supportsRevocation ? words.revoked(name) : words.erased(name),
          words.again,
        ],
        confirmLabel: actions.delete,
      };
    },
    send: () => api.delete('/connections/{id}', { path: { id } }),
    done: words.done,
    onDone: () => navigate({ to: '/p/$projectId/connections', params: { projectId } }),
    refresh: ['/projects/{projectId}/connections', '/connections', '/integrations'],
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
    if (findStatus(error) === 404) return undefined;
    throw error;
  }
}
