/** The user's token, or a function that gets one from your backend and is asked again when that has expired. */
export type TokenSource = string | (() => string | Promise<string>);
export type Tokens = ReturnType<typeof createTokens>;
/** Holds the user's token in memory, and nowhere else. */
export declare function createTokens(source: TokenSource): {
    get: () => Promise<string>;
    getOther: (refused: string) => Promise<string | undefined>;
};
