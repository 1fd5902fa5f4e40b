import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { readReachability, subscribeToReachability } from '../api/reachability.ts';
import { useTexts } from '../texts/texts.tsx';
import { Icon } from '../ui/icons.tsx';
import styles from './frame.module.css';

/** Says that the network or the gateway is away, and that it is back; then goes by itself and has the page ask again. */
export function ReachabilityBar() {
  const { frame } = useTexts();
  const state = useSyncExternalStore(subscribeToReachability, readReachability);
  const client = useQueryClient();
  useEffect(() => {
    if (state === 'back') void client.invalidateQueries();
  }, [state, client]);
  return (
    <div role="status">
      {state !== 'reachable' && (
        <div className={styles.reachability} data-state={state}>
          <Icon name={state === 'back' ? 'ok' : 'warning'} size={15} />
          {frame[state]}
        </div>
      )}
    </div>
  );
}
