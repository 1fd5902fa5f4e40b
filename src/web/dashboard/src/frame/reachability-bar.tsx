import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useEffect, useSyncExternalStore } from 'react';
import { lookForNewBuild } from '../api/build.ts';
import { readReachability, subscribeToReachability } from '../api/reachability.ts';
import { useTexts } from '../texts/texts.tsx';
import { Icon } from '../ui/icons.tsx';
import styles from './frame.module.css';

/** Says that the network or the gateway is away, and that it is back; then goes by itself and has the page ask again. */
export function ReachabilityBar() {
  const { frame, problem } = useTexts();
  const state = useSyncExternalStore(subscribeToReachability, readReachability);
  useAskAgain(state === 'back');
  const isStuck = state === 'incomplete' || state === 'outdated';
  return (
    <div role="status" className={styles.status}>
      {state !== 'reachable' && (
        <div className={styles.reachability} data-state={state}>
          <Icon name={state === 'back' ? 'ok' : 'warning'} size={15} />
          {frame[state]}
          {isStuck && (
            <button type="button" onClick={() => location.reload()}>
              {problem.reload}
            </button>
          )}
        </div>
      )}
    </div>
  );
}

/** What failed meanwhile is asked for again; and what was away may have been upgraded. */
function useAskAgain(isBack: boolean): void {
  const client = useQueryClient();
  const router = useRouter();
  useEffect(() => {
    if (!isBack) return;
    void client.invalidateQueries();
    void lookForNewBuild();
    if (router.state.matches.some(({ status }) => status === 'error')) void router.invalidate();
  }, [isBack, client, router]);
}
