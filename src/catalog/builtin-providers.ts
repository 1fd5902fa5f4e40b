import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Provider, ProviderFile } from './provider.schema.ts';
import { type ProviderOptions, providerOf } from './provider-from-file.ts';

/** The built-in provider files in one (`npm run generate`), since several hundred take a second to parse and check. */
export const BUILT_IN_BUNDLE = resolve(import.meta.dirname, 'builtin-providers.json');

type Required = 'id' | 'name' | 'auth' | 'apiBaseUrl';

/** Files as their schema gives them back, each without the fields that have the value of `defaults`. */
export type BuiltInBundle = {
  readonly defaults: Omit<ProviderFile, Required>;
  readonly providers: readonly (Pick<ProviderFile, Required> & Partial<ProviderFile>)[];
};

/**
 * Every built-in provider. Nothing is checked here: `npm run generate -- --check` proves in each build that the bundle
 * says what the files say.
 */
export function builtInProviders(options: ProviderOptions): Provider[] {
  const { defaults, providers }: BuiltInBundle = JSON.parse(readFileSync(BUILT_IN_BUNDLE, 'utf8'));
  return providers.map((file) => providerOf({ ...defaults, ...file }, options));
}
