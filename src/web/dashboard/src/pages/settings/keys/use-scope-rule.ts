import { useTexts } from '../../../texts/texts.tsx';

/** What is wrong with a set of one's own. */
export function useScopeRule(): (scopes: readonly string[]) => string | undefined {
  const { noScope } = useTexts().settings.apiKeys;
  return (scopes) => (scopes.length === 0 ? noScope : undefined);
}
