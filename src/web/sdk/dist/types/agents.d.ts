import type { Api } from './api.js';
import type { AgentConsent } from './wire.js';
export type Agents = {
    /** What the user has allowed agents that they signed in to, the newest first. */
    list(): Promise<AgentConsent[]>;
    /** Ends all tokens of the agent at once. Not with a token that has a mandate. */
    withdraw(id: string): Promise<void>;
};
export declare function createAgents(api: Pick<Api, 'call' | 'list'>): Agents;
