import type { RecordActivity } from '../activity/record.ts';
import type { Endpoint } from '../http/endpoint.ts';
import type { Changes } from '../platform/change-notices.ts';
import type { Kit } from '../platform/kit.ts';
import type { Db } from '../platform/postgres/database.ts';
import { type Access, createAccess } from './access.ts';
import { createActivityEndpoints } from './activity.router.ts';
import { createEndUsersEndpoints } from './end-users.router.ts';
import { createEndUsers } from './end-users.store.ts';
import { createFreezeEndpoints, type FreezeDependencies } from './freeze.router.ts';
import { createInvitationsStore } from './invitations.store.ts';
import { createMembersEndpoints, type MembersDependencies } from './members.router.ts';
import { createMembersStore } from './members.store.ts';
import { createProjectRules } from './project-rules.ts';
import { createProjectsEndpoints, type ProjectsDependencies } from './projects.router.ts';
import { createProjectsStore } from './projects.store.ts';

export type Projects = ReturnType<typeof createProjects>;

/** What operations run in that are parts of a larger change. */
export type TransactionScope = {
  readonly db: Db;
  readonly access: Access;
  readonly recordActivity: RecordActivity;
};

/** What only the endpoints need of rooms above. */
type EndpointsInput = Pick<
  ProjectsDependencies,
  | 'tenancy'
  | 'allowInsecureAddresses'
  | 'createProject'
  | 'countConnections'
  | 'hide'
  | 'endSessions'
  | 'eraseSoon'
> &
  Pick<MembersDependencies, 'renewOwnSession'> &
  Pick<FreezeDependencies, 'holds' | 'resume'>;

/** Builds the projects: their members, end users, and rules for callers. */
export function createProjects(
  input: Pick<Kit, 'db' | 'vault' | 'log' | 'now' | 'publicUrl'> & {
    readonly changes: Pick<Changes, 'subscribe'>;
    readonly recordActivity: RecordActivity;
  },
) {
  const { db, changes } = input;
  const projects = createProjectsStore({ db });
  const members = createMembersStore({ db });
  const invitations = createInvitationsStore({ db });
  const access = createAccess({ db });
  const endUsers = createEndUsers({ db });
  const rules = createProjectRules({
    ...input,
    findProjectRules: projects.findProjectRules,
    findKnownOrigins: projects.findKnownOriginsOfAnyProject,
  });
  changes.subscribe({
    changed({ table, projectId, rowId }) {
      if (table === 'end_users') endUsers.forget(rowId);
      if (table === 'origins') rules.invalidateOrigins();
      if (table === 'projects') rules.invalidateProject(projectId);
    },
    markAllStale() {
      endUsers.forgetAll();
      rules.markAllStale();
    },
    setHasNotices: rules.setHasNotices,
  });
  return {
    projects,
    members,
    invitations,
    access,
    endUsers,
    rules,
    /** The operations on the project and its members, in a transaction. */
    changesOn(above: EndpointsInput & TransactionScope): Endpoint[] {
      const stores = { projects: createProjectsStore(above), members: createMembersStore(above) };
      const deps = { ...input, ...above, ...stores, invitations };
      return [...createProjectsEndpoints(deps), ...createMembersEndpoints(deps)];
    },
    endpoints(above: EndpointsInput): Endpoint[] {
      const deps = { ...input, ...above, projects, members, invitations, access, endUsers };
      return [
        ...createProjectsEndpoints(deps),
        ...createFreezeEndpoints(deps),
        ...createMembersEndpoints(deps),
        ...createEndUsersEndpoints(deps),
        ...createActivityEndpoints(deps),
      ];
    },
  };
}
