import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Provider, ProviderFile } from '../schema/provider.schema.ts';
import { buildProvider, type ProviderOptions } from './provider-from-file.ts';

/** The built-in provider files in one (`npm run generate`), since a thousand take seconds to parse and check. */
export const BUILT_IN_BUNDLE = resolve(import.meta.dirname, 'builtin-providers.json');

type Required = 'id' | 'name' | 'auth' | 'apiBaseUrl';

/** Files as their schema gives them back, each without the fields that have the value of `defaults`. */
export type Bundle = {
  readonly defaults: Omit<ProviderFile, Required>;
  readonly providers: readonly (Pick<ProviderFile, Required> & Partial<ProviderFile>)[];
};

/** A provider that is made when it is first asked for: a project uses a handful of a thousand. */
export class LazyProvider {
  readonly id: string;
  readonly #make: () => Provider;
  #made: Provider | undefined;

  constructor(id: string, make: () => Provider) {
    this.id = id;
    this.#make = make;
  }

  get provider(): Provider {
    this.#made ??= this.#make();
    return this.#made;
  }
}

const NEWLINE = 10;

/** Every built-in provider. `npm run generate -- --check` proves in each build that the bundle says what the files say. */
export function builtInProviders(options: ProviderOptions): LazyProvider[] {
  return readBundle(readFileSync(BUILT_IN_BUNDLE), options);
}

/**
 * The providers of a bundle, which are not checked here. It has the defaults in its first line and an entry in each that
 * begins with an id; of an entry only the id is read before it is asked for.
 */
export function readBundle(bytes: Buffer, options: ProviderOptions): LazyProvider[] {
  const found: LazyProvider[] = [];
  let defaults: Bundle['defaults'] | undefined;
  for (let start = 0, end = 0; start < bytes.length; start = end + 1) {
    end = bytes.indexOf(NEWLINE, start);
    if (end < 0) break;
    if (defaults === undefined) {
      ({ defaults } = JSON.parse(`${bytes.toString('utf8', start, end - 1)}}`));
      continue;
    }
    const [, id] = /^\{"id":"([^"]+)"/.exec(bytes.toString('latin1', start, start + ID_BYTES_MAX)) ?? [];
    if (id === undefined) continue;
    const shared = defaults;
    const from = start;
    const to = bytes[end - 1] === COMMA ? end - 1 : end;
    found.push(
      new LazyProvider(id, () =>
        buildProvider({ ...shared, ...JSON.parse(bytes.toString('utf8', from, to)) }, options),
      ),
    );
  }
  return found;
}

const COMMA = 44;
/** `{"id":"` and an id of 40 letters. */
const ID_BYTES_MAX = 60;
