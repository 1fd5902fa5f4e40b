/** What the gateway hands back in the fragment of the return URL. */
export type Return = {
    readonly sessionId: string;
    readonly completionCode: string | null;
    readonly error: string | null;
};
/**
 * What this page was opened with, if it is the return URL of an authorization. Takes it out of the address at once, and
 * keeps it in the history entry's state, which only this tab has, so that a reload in the middle loses nothing.
 */
export declare function takeReturn(): Return | undefined;
/** Nothing is to be done again after a reload. */
export declare function forgetReturn(): void;
/** Keeps the session of this tab's popup, for the case that this page is reloaded while its user is in there. */
export declare function rememberPopup(sessionId: string): void;
export declare function forgetPopup(): void;
/** The session of a popup that this page had opened before it was reloaded. */
export declare function rememberedPopup(): string | undefined;
