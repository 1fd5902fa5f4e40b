/** More providers than any catalog has: projects name providers of their own, a hundred each. */
const PROVIDERS_MAX = 500;

/** Gives the label of a provider's series, `other` for those that come when there are enough. */
export function createProviderLabels(): (provider: string) => string {
  const providers = new Set<string>();
  return (provider) => {
    if (providers.size < PROVIDERS_MAX) providers.add(provider);
    return providers.has(provider) ? provider : 'other';
  };
}
