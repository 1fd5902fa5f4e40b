import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { apiQuery, refresh } from '../../../api/queries.ts';
import { useTexts } from '../../../texts/texts.tsx';
import { Loaded } from '../../../ui/loaded.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { Time } from '../../../ui/time.tsx';
import { type Destination, PATHS_OF_DESTINATION, useNumber } from './destination-parts.tsx';

const LOOK_MS = 2_000;

/** How replays of the destination come on; nothing where there is none. */
export function Replays({ destination }: { destination: Destination }) {
  const { destinations: texts } = useTexts().events;
  const number = useNumber();
  const client = useQueryClient();
  const found = useQuery({
    ...apiQuery('/event-destinations/{id}/replays', { path: { id: destination.id } }),
    refetchInterval: ({ state }) => ((state.data?.replays.length ?? 0) > 0 ? LOOK_MS : false),
  });
  const count = found.data?.replays.length ?? 0;
  useEffect(() => {
    // What a finished replay has sent stands in the other parts of the page.
    if (count === 0) return () => undefined;
    return () => void refresh(client, ...PATHS_OF_DESTINATION.slice(0, 2), '/deliveries');
  }, [client, count]);
  return (
    <Loaded query={found} skeleton={null}>
      {({ replays }) =>
        replays.map(({ id, remaining, createdAt }) => (
          <Notice
            key={id}
            tone="info"
            title={texts.replayRunning(number(remaining))}
            foot={<Time at={createdAt} />}
          />
        ))
      }
    </Loaded>
  );
}
