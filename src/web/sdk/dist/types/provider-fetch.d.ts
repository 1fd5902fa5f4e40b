import { type Api } from './api.js';
import type { ProviderRequestInit } from './gateway.js';
type Addresses = {
    readonly api: Api;
    /** The gateway's, without a slash at its end. */
    readonly base: string;
    readonly proxyUrl: string | undefined;
    readonly projectId: string;
};
/** Calls of providers' own APIs through the gateway. */
export declare function createProviderFetch({ api, base, proxyUrl, projectId }: Addresses): (provider: string, path: string, init?: ProviderRequestInit) => Promise<Response>;
export {};
