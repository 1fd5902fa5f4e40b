import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ConnectError } from '../../../sdk/errors.ts';
import { awaitOutcome, openPopup } from '../../../sdk/popup.ts';
import { createTabs } from '../../../sdk/tabs.ts';
import { api, refresh } from '../api/queries.ts';

/** An integration to connect an account of one's own to, or a connection of the operator's to authorize again. */
export type ConnectTarget = { readonly integrationId: string } | { readonly connectionId: string };

/**
 * Connects an account of the operator's own, in a popup: a connection of their test user in the project. Must be called
 * by a click. Throws ConnectError, whose `code` says why nothing was connected, and ApiError.
 */
export async function connectTestAccount(projectId: string, target: ConnectTarget) {
  const popup = openPopup();
  if (popup === undefined) throw new ConnectError('popup_blocked');
  const tabs = createTabs(projectId);
  try {
    const session = await api.post('/connect-sessions', { body: target });
    popup.location.replace(session.url);
    const gatewayOrigin = new URL(session.url).origin;
    const outcome = await awaitOutcome({ popup, session, gatewayOrigin, tabs, signal: undefined });
    // The page in the popup explains it, so the popup stays.
    if ('error' in outcome) throw new ConnectError(outcome.error);
    popup.close();
    if ('connectionId' in outcome)
      return await api.get('/connections/{id}', { path: { id: outcome.connectionId } });
    const { completionCode } = outcome;
    return await api.post('/connect-sessions/{id}/complete', {
      path: { id: session.id },
      body: { completionCode },
    });
  } catch (error) {
    if (!(error instanceof ConnectError)) popup.close();
    throw error;
  }
}

/** The same for a button: `connect.mutate({ integrationId })`. Lists of connections ask again afterwards. */
export function useConnectTestAccount(projectId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (target: ConnectTarget) => connectTestAccount(projectId, target),
    onSuccess: () =>
      refresh(
        client,
        '/connections',
        '/connections/{id}',
        '/projects/{projectId}/connections',
        '/integrations',
      ),
  });
}
