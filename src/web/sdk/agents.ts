import type { Api } from './api.ts';
import type { AgentConsent, AgentConsentPage } from './wire.ts';

export type Agents = {
  /** What the user has allowed agents that they signed in to, the newest first. */
  list(): Promise<AgentConsent[]>;
  /** Ends all tokens of the agent at once. Not with a token that has a mandate. */
  withdraw(id: string): Promise<void>;
};

export function createAgents(api: Pick<Api, 'call' | 'list'>): Agents {
  return {
    list: () => api.list('agent-consents', {}, (page: AgentConsentPage) => page.consents),
    withdraw: (id) => api.call('DELETE', `agent-consents/${encodeURIComponent(id)}`),
  };
}
