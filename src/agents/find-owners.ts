import type { Caller } from './caller.ts';

/** The gateway's ids of those whose connections a user may use: their own, and their organization's. */
export type FindOwners = (user: Caller['user']) => Promise<string[]>;

export function createFindOwners(deps: {
  endUserId(projectId: string, subject: string): Promise<string>;
  organizationId(projectId: string, organization: string): Promise<string>;
}): FindOwners {
  return async ({ projectId, subject, membership }) => {
    const own = await deps.endUserId(projectId, subject);
    if (membership === undefined) return [own];
    return [own, await deps.organizationId(projectId, membership.organization)];
  };
}
