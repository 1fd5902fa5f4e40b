import { GatewayError } from './errors.js';
import type { Tokens } from './tokens.js';
export type Api = ReturnType<typeof createApi>;
/** Calls of one gateway with the user's token. No cookie is ever sent along. */
export declare function createApi({ url, projectId, tokens }: {
    url: string;
    projectId: string;
    tokens: Tokens;
}): {
    send: (address: string, init: RequestInit) => Promise<Response>;
    call: <Answer>(method: string, path: string, json?: object, headers?: Record<string, string>) => Promise<Answer>;
    callOrThrow: <Answer>(method: string, path: string, json?: object | undefined, headers?: Record<string, string> | undefined) => Promise<Answer>;
    list: <Page extends {
        readonly nextCursor: string | null;
    }, Item>(path: string, query: Record<string, string>, itemsOf: (page: Page) => readonly Item[]) => Promise<Item[]>;
    postToken: (formOf: (token: string) => URLSearchParams, signal: AbortSignal | undefined) => Promise<{
        readonly access_token: string;
        readonly expires_in: number;
    }>;
    proxyUrl: () => Promise<string>;
};
/** Reads the problem document of an answer that is the gateway's own. */
export declare function readError(response: Response): Promise<GatewayError>;
