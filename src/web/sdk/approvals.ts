import type { Api } from './api.ts';
import type { Approval, ApprovalPage } from './wire.ts';

export type Approvals = {
  /** The newest first; those that wait where no state is named. */
  list(filter?: { readonly state?: Approval['state'] }): Promise<Approval[]>;
  /** With the exact call. Show it as text, never as markup: an agent has written it. */
  get(id: string): Promise<Approval>;
  /** Lets the agent send this very call, once. */
  approve(id: string): Promise<Approval>;
  /** Also takes an approval back that was not used yet. */
  reject(id: string): Promise<Approval>;
};

export function createApprovals(api: Pick<Api, 'call' | 'list'>): Approvals {
  const pathOf = (id: string) => `approvals/${encodeURIComponent(id)}`;
  return {
    list: ({ state = 'pending' } = {}) =>
      api.list('approvals', { state }, (page: ApprovalPage) => page.approvals),
    get: (id) => api.call('GET', pathOf(id)),
    approve: (id) => api.call('POST', `${pathOf(id)}/approve`),
    reject: (id) => api.call('POST', `${pathOf(id)}/reject`),
  };
}
