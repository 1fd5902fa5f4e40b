import { useQuery } from '@tanstack/react-query';
import { loadScript } from '../api/load-script.ts';
import type { ProblemWording } from '../texts/problem-wording.ts';
import { useLanguage } from '../texts/texts.tsx';

type Held = {
  /** Undefined in English, which is the API's own. */
  readonly wording: ProblemWording | undefined;
  /** Whether it is on its way: better to show nothing so long than to change the words. */
  readonly isLoading: boolean;
};

/** The words of refusals in the operator's language, loaded when the first of them is shown. */
export function useProblemWording(isWanted = true): Held {
  const { language } = useLanguage();
  const { data = null, isLoading } = useQuery({
    queryKey: ['problem-wording', language],
    queryFn: async () => {
      const { loadWording } = await loadScript(() => import('../texts/problem-wording.ts'));
      return (await loadWording(language)) ?? null;
    },
    enabled: isWanted && language !== 'en',
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
  });
  return { wording: data ?? undefined, isLoading };
}
