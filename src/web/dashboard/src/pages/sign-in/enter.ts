import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { announceSession } from '../../app/session-tabs.ts';

/** Goes into the dashboard after a session was made: nothing that was asked without it is kept. */
export function useEnter(): (address?: string) => Promise<void> {
  const client = useQueryClient();
  const router = useRouter();
  return async (address = '/') => {
    announceSession('signed-in');
    client.clear();
    await router.navigate({ href: address, replace: true });
  };
}
