/** Words of the list of connections, in the languages of the gateway's own pages. English gives the shape. */
declare const EN: {
    empty: string;
    attention: string;
    lastUsed: (at: string | null) => string;
    reconnect: string;
    remove: string;
    confirm: (name: string) => string;
    users: string;
    application: string;
    agent: (name: string, access: 'read' | 'all') => string;
    unnamed: string;
    withdraw: string;
    failed: (error: Error) => string;
};
export type ConnectionsTexts = typeof EN;
/** The texts of a BCP 47 tag such as `de-AT`; English for a language that is not there. */
export declare function findConnectionsTexts(locale: string): ConnectionsTexts;
export {};
