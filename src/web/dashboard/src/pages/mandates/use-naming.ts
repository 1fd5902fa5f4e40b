import { useProviderNames } from '../../app/providers.ts';
import { useLanguage, useTexts } from '../../texts/texts.tsx';

/** What sentences about entries need of these providers. */
export function useNaming(providers: readonly string[]) {
  const { mandates: words } = useTexts();
  const { language } = useLanguage();
  const nameOf = useProviderNames(providers);
  return { words, language, nameOf };
}
