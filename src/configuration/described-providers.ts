import { setImmediate } from 'node:timers/promises';
import type { ProviderOptions } from '../catalog/loading/provider-from-file.ts';
import type { Provider } from '../catalog/schema/provider.schema.ts';
import { CUSTOM_PREFIX, providerFromDescription } from '../providers/custom-description.ts';
import type { NamedProviders } from '../providers/custom-providers.ts';
import type { ConfigurationDocument } from './document.schema.ts';
import type { Step } from './source.ts';
import type { FindProvider } from './wanted-integration.ts';
import type { DescribeProviders } from './wanted-state.ts';

/** Judges the providers of a file, and finds those that its integrations name: one of the file before one that there is. */
export async function describeProviders(
  providers: NamedProviders,
  options: ProviderOptions,
  projectId: string,
  { customProviders }: ConfigurationDocument,
): ReturnType<DescribeProviders> {
  const described = new Map<string, Provider | { readonly fault: string }>();
  const faults: { path: readonly Step[]; reason: string }[] = [];
  for (const [index, { name, definition }] of customProviders.entries()) {
    // Each takes some milliseconds, and a project may have a hundred.
    await setImmediate();
    const loaded = providerFromDescription({ ...definition, id: name }, options);
    const id = `${CUSTOM_PREFIX}${name}`;
    described.set(
      id,
      loaded.ok ? loaded.provider : { fault: 'The file describes this provider with faults' },
    );
    if (loaded.ok) continue;
    const place = ['customProviders', index, 'definition'];
    for (const { path, reason } of loaded.faults)
      faults.push({
        path: [...place, ...path.map((step) => (typeof step === 'number' ? step : String(step)))],
        reason,
      });
  }

  const known = new Map<string, ReturnType<FindProvider>>();
  async function find(id: string): ReturnType<FindProvider> {
    const own = described.get(id);
    if (own !== undefined) return own;
    const found = await providers.find(projectId, id, null);
    return found ?? { fault: providers.refusalOf(projectId, id).detail };
  }
  function findProvider(id: string): ReturnType<FindProvider> {
    const found = known.get(id) ?? find(id);
    known.set(id, found);
    return found;
  }
  return { findProvider, faults };
}
