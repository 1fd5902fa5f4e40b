import type { Api } from './api.js';
import type { ConnectOptions } from './gateway.js';
import type { Tabs } from './tabs.js';
import type { Connection } from './wire.js';
type Surroundings = {
    readonly api: Api;
    readonly tabs: Tabs;
    readonly home: string | undefined;
};
/** Authorizations of this page: those that it begins, and one that it was opened to end. */
export declare function createConnecting({ api, tabs, home }: Surroundings): {
    authorize: (target: object, options: ConnectOptions) => Promise<Connection>;
    returned: Promise<undefined> | Promise<Connection>;
};
export {};
