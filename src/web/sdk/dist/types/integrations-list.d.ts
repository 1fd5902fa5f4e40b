import type { Api } from './api.js';
import type { Integration } from './wire.js';
/** The integrations that the project offers, with names and logos; each provider is asked for once. */
export declare function createIntegrationList(api: Api): () => Promise<Integration[]>;
