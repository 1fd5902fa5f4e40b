import type { Tabs } from './tabs.js';
import type { ConnectSession } from './wire.js';
/**
 * What a popup ends with: the code that this tab completes with, what the popup itself has completed, or the error that
 * the gateway's page in it explains. That page closes the popup itself where there is nothing to read.
 */
export type Outcome = {
    readonly completionCode: string;
} | {
    readonly connectionId: string;
} | {
    readonly error: string;
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
