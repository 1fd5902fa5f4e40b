import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, apiQuery, refresh } from '../../../api/queries.ts';
import { useTexts } from '../../../texts/texts.tsx';
import { Time } from '../../../ui/time.tsx';
import { showProblem } from '../../../ui/toasts.tsx';

const PATH = '/integrations/{id}/webhook-handshake';
const POLL_MS = 3_000;

/** Opens the address of the integration to the secret that the provider is about to bring, where one does. */
export function AwaitHandshake({ integrationId: id, canEdit }: { integrationId: string; canEdit: boolean }) {
  const all = useTexts();
  const { webhooks: texts } = all.events;
  const client = useQueryClient();
  const found = useQuery({
    ...apiQuery(PATH, { path: { id } }),
    refetchInterval: ({ state }) => (state.data?.state === 'open' ? POLL_MS : false),
  });
  const open = useMutation({
    mutationFn: async () => {
      await api.post(PATH, { path: { id } });
      await refresh(client, PATH);
    },
    onError: (error) => showProblem(error, all),
  });
  if (found.data?.state !== 'open' && found.data?.state !== 'closed') return null;
  const { expiresAt } = found.data;
  return (
    <div className="row">
      {canEdit && (
        <Button variant="default" loading={open.isPending} onClick={() => open.mutate()}>
          {texts.awaitHandshake}
        </Button>
      )}
      <span className="soft small" role="status">
        {expiresAt === null ? (
          texts.awaitHandshakeHint
        ) : (
          <>
            {texts.handshakeUntil} <Time at={expiresAt} isPlanned />
          </>
        )}
      </span>
    </div>
  );
}
