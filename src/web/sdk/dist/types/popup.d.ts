import type { Tabs } from './tabs.js';
import type { ConnectSession } from './wire.js';
/** What a popup ends with: the code that this tab completes with, or what the popup itself has completed. */
export type Outcome = {
    readonly completionCode: string;
} | {
    readonly connectionId: string;
};
/** Opens an empty window; undefined if the browser blocks it. Browsers allow it straight from a click only. */
export declare function openPopup(): Window | undefined;
/** Waits for the end of an authorization in a popup. Rejects with a ConnectError, or with the signal's reason. */
export declare function awaitOutcome(input: {
    popup: Window;
    session: ConnectSession;
    gatewayOrigin: string;
    tabs: Tabs;
    signal: AbortSignal | undefined;
}): Promise<Outcome>;
