import { useMutation, useQueryClient } from '@tanstack/react-query';
import { refresh } from '../api/queries.ts';
import { useLanguage } from '../texts/texts.tsx';
import { useAttempt } from '../ui/use-attempt.ts';
import {
  ConnectFailure,
  type ConnectTarget,
  createSession,
  finishSession,
  openPopup,
  type SessionOptions,
} from './connect-popup.ts';

/**
 * Connects an account of the operator's own, in a window: a connection of their test user in the project. Must be called
 * by a click. Throws ConnectFailure, whose `code` says why nothing was connected, and ApiError.
 */
async function connectTestAccount(target: ConnectTarget, options: SessionOptions) {
  const popup = openPopup();
  if (popup === undefined) throw new ConnectFailure('popup_blocked');
  try {
    const session = await createSession(target, options);
    popup.location.replace(session.url);
    return await finishSession(session, popup, new AbortController().signal);
  } catch (error) {
    // The page in the window explains its own refusals, so the window stays.
    if (!(error instanceof ConnectFailure)) popup.close();
    throw error;
  }
}

/** The same for a button: `connect.mutate({ integrationId })`. Lists of connections ask again afterwards. */
export function useConnectTestAccount() {
  const client = useQueryClient();
  const { language } = useLanguage();
  const attempt = useAttempt(true);
  const connect = useMutation({
    mutationFn: (target: ConnectTarget) => connectTestAccount(target, { language, allowMultiple: false }),
    onSuccess: () =>
      refresh(
        client,
        '/connections',
        '/connections/{id}',
        '/projects/{projectId}/connections',
        '/projects/{projectId}/overview',
        '/integrations',
      ),
    onSettled: (_connection, error, target) => attempt.end(target, error),
  });
  // A double click opens one window.
  const mutate: typeof connect.mutate = (...given) => {
    if (attempt.begin(given[0])) connect.mutate(...given);
  };
  return { ...connect, mutate };
}
