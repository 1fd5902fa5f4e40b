import type { components } from '../../../../../clients/node/src/api.ts';

/** What the API calls by this name: `Schema<'Member'>`. */
export type Schema<Name extends keyof components['schemas']> = components['schemas'][Name];
