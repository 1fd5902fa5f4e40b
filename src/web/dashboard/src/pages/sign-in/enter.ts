import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';

/** Goes into the dashboard after a session was made: nothing that was asked without it is kept. */
export function useEnter(): (address?: string) => Promise<void> {
  const client = useQueryClient();
  const router = useRouter();
  return async (address = '/') => {
    client.clear();
    await router.navigate({ href: address, replace: true });
  };
}
