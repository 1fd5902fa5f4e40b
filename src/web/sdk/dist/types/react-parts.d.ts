import { type ButtonHTMLAttributes, type ReactElement, type ReactNode } from 'react';
import type { Connection, ConnectionFilter, ConnectOptions, Gateway, Integration } from './connect.js';
/** Gives the components below it the gateway that `createGateway` made. */
export declare function GatewayProvider(props: {
    readonly gateway: Gateway;
    readonly children?: ReactNode;
}): ReactElement;
/** The gateway of the nearest GatewayProvider. Throws where there is none. */
export declare function useGateway(): Gateway;
type Loaded<Item> = {
    readonly items: readonly Item[];
    readonly isLoading: boolean;
    readonly error: Error | undefined;
};
export type ConnectionsState = {
    /** Empty until they are loaded. */
    readonly connections: readonly Connection[];
    readonly isLoading: boolean;
    readonly error: Error | undefined;
    readonly refresh: () => void;
};
/** The user's connections, kept up to date when one comes, is authorized again or goes, in this tab or another. */
export declare function useConnections({ serviceProvider, integrationId, status, }?: ConnectionFilter): ConnectionsState;
export type Integrations = {
    /** Empty until they are loaded. */
    readonly integrations: readonly Integration[];
    readonly isLoading: boolean;
    readonly error: Error | undefined;
    /** Asks again, such as after an error. */
    readonly refresh: () => void;
};
/** What the project offers to connect. */
export declare function useIntegrations(): Integrations;
type Load<Item> = () => Promise<readonly Item[]>;
export declare function useLoaded<Item>(load: Load<Item>): Loaded<Item> & {
    refresh: () => void;
};
export type ConnectButtonProps = Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'onError'> & {
    /** Without one the user chooses. */
    readonly provider?: string;
    /** Authorizes this connection again instead of making a new one. */
    readonly connectionId?: string;
    readonly options?: ConnectOptions;
    readonly onConnect?: (connection: Connection) => void;
    readonly onError?: (error: Error) => void;
    /** What to say about an error, for people; its message by default, null for nothing. */
    readonly renderError?: (error: Error) => ReactNode;
};
/** A plain button that connects an account, and after it a place where errors are announced. Without any style. */
export declare function ConnectButton(props: ConnectButtonProps): ReactElement;
export declare function toError(thrown: unknown): Error;
export {};
