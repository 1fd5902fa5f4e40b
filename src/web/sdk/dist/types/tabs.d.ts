/** Something changed about this user's connections, in this tab or in another of the same application. */
export type GatewayEvent = {
    readonly type: 'connection.created' | 'connection.reauthorized' | 'connection.deleted';
    readonly connectionId: string;
};
/** What tabs send each other. Ids and error codes only: never a token or a completion code. */
export type TabMessage = GatewayEvent
/** The window of a connect session came back to the application and is done. */
 | {
    readonly type: 'returned';
    readonly sessionId: string;
    readonly connectionId: string;
} | {
    readonly type: 'returned';
    readonly sessionId: string;
    readonly error: string;
}
/** The tab that waited for this session has heard it: the window may close. */
 | {
    readonly type: 'heard';
    readonly sessionId: string;
};
export type Tabs = ReturnType<typeof createTabs>;
/** The tabs of one application on one project. Without BroadcastChannel, or outside a browser, there is only this one. */
export declare function createTabs(projectId: string): {
    /** To the other tabs. */
    post: (message: TabMessage) => void;
    /** To this tab and the others. */
    announce(event: GatewayEvent): void;
    /** Gives the function that ends it. */
    listen(listener: (message: TabMessage) => void): () => void;
};
