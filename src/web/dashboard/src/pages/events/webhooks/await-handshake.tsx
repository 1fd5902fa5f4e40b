import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, apiQuery } from '../../../api/queries.ts';
import { useTexts } from '../../../texts/texts.tsx';
import { Time } from '../../../ui/time.tsx';
import { useAction } from '../../../ui/use-action.ts';

const PATH = '/integrations/{id}/webhook-handshake';
const POLL_MS = 3_000;

/** Opens the address of the integration to the secret that the provider is about to bring, where one does. */
export function AwaitHandshake({ integrationId: id, canEdit }: { integrationId: string; canEdit: boolean }) {
  const { webhooks: texts } = useTexts().events;
  const found = useQuery({
    ...apiQuery(PATH, { path: { id } }),
    refetchInterval: ({ state }) => (state.data?.state === 'open' ? POLL_MS : false),
  });
  const open = useAction({ send: () => api.post(PATH, { path: { id } }), refresh: [PATH] });
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
