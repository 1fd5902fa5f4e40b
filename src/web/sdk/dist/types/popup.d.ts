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
/**
 * What this page asks for before its user can go anywhere. Rejects as soon as the application stops waiting, with the
 * signal's reason, or the user closes the window that is still empty: a token or a slow network may keep it so for long.
 */
export declare function awaitStart<Answer>(asked: Promise<Answer>, { popup, signal: given }: {
    popup?: Window;
    signal: AbortSignal | undefined;
}): Promise<Answer>;
/** Waits for the end of an authorization in a popup. Rejects with a ConnectError, or with the signal's reason. */
export declare function awaitOutcome(input: {
    popup: Window;
    session: ConnectSession;
    gatewayOrigin: string;
    tabs: Tabs;
    signal: AbortSignal | undefined;
}): Promise<Outcome>;
