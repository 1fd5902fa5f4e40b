import type { Api } from './api.js';
import type { MandateEntry } from './wire.js';
export type ExchangeOptions = {
    /** What the new token may do, within what the user's token may. Left out: the same. */
    readonly entries?: readonly MandateEntry[];
    /** In seconds; an hour by default, and never longer than the life of the user's token. */
    readonly expiresIn?: number;
    /** Who is to act with the new token: shown beside its calls. */
    readonly actor?: string;
    readonly signal?: AbortSignal;
};
export type ExchangedToken = {
    readonly token: string;
    readonly expiresAt: Date;
};
/** A narrower token for the user's (RFC 8693), for a helper of the page. */
export declare function exchangeToken(api: Pick<Api, 'postToken'>, options: ExchangeOptions): Promise<ExchangedToken>;
