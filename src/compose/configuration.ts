import type { RecordActivity } from '../activity/record.ts';
import type { ChangeMember } from '../configuration/change-objects.ts';
import type { Scope } from '../configuration/configuration-service.ts';
import { createConfiguration } from '../configuration/create-configuration.ts';
import { createMandatesEndpoints } from '../identity/mandates/mandates.router.ts';
import { createMandatesStore } from '../identity/mandates/mandates.store.ts';
import type { Integration } from '../integrations/integration.ts';
import type { Db } from '../platform/postgres/database.ts';
import { createAccess } from '../projects/access.ts';
import { type ApiInput, aboveIntegrations, aboveProjects, createDryRuns } from './above-rooms.ts';

/** Joins configuration as files with the rooms whose operations an apply calls. */
export function composeConfiguration(input: ApiInput) {
  const { rooms, platform, config } = input;
  return createConfiguration({
    ...platform.kit,
    access: rooms.identity.access,
    integrations: rooms.integrations.integrations,
    providers: rooms.ownProviders.providers,
    recordActivity: rooms.activity.recordActivity,
    allowPrivateNetworks: config.allowPrivateNetworks,
    lockProject: rooms.identity.projects.lock,
    openScope: (trx) => openScope(input, trx),
  });
}

/** The operations of the rooms, as parts of one transaction: what they announce and begin waits for its commit. */
function openScope(input: ApiInput, trx: Db): Scope {
  const { rooms } = input;
  const access = createAccess({ db: trx });
  const afterwards: (() => Promise<void> | void)[] = [];
  const recordActivity: RecordActivity = (_within, change) => rooms.activity.recordActivity(trx, change);
  const scope = { db: trx, access, recordActivity };
  const own = rooms.ownProviders.changesOn({ ...scope, ...createDryRuns(input) });
  const withProviders = { ...scope, providers: own.providers };
  const integrations = aboveIntegrations(input);
  const endpoints = [
    ...rooms.identity.changesOn({ ...aboveProjects(rooms), ...scope }),
    ...own.endpoints,
    ...createMandatesEndpoints({ ...scope, mandates: createMandatesStore(scope) }),
    ...rooms.integrations.endpoints({
      ...integrations,
      ...withProviders,
      async eraseSoon(integration: Integration) {
        afterwards.push(() => integrations.eraseSoon(integration));
      },
    }),
    ...rooms.polls.endpoints(withProviders),
    ...rooms.deliveries.destinationsOn(scope),
  ];
  return {
    operations: new Map(endpoints.map((declared) => [declared.operationId, declared])),
    changeMember: createChangeMember(input, scope, (mail) => afterwards.push(mail)),
    forgetProviders: (id) => own.providers.invalidate(id),
    async afterCommit() {
      for (const work of afterwards) await work();
    },
  };
}

/** Who is no member is invited, and mailed once that has committed. */
function createChangeMember(
  { rooms }: ApiInput,
  { db: trx, recordActivity }: { readonly db: Db; readonly recordActivity: RecordActivity },
  afterwards: (mail: () => void) => void,
): ChangeMember {
  const { invite, invitations } = rooms.identity;
  return async (principal, { projectId, email, role, current = '' }) => {
    const [kind, id = ''] = current.split(':');
    if (kind === 'operator') {
      const params = { projectId, operatorId: id };
      if (role === undefined) return { operationId: 'removeMember', params };
      return { operationId: 'updateMember', params, body: { role } };
    }
    if (role !== undefined) {
      const wanted = { projectId, email, role };
      await invite.assertMayInvite(principal, wanted);
      const { mail } = await invite.invite(trx, principal, wanted);
      afterwards(mail);
      return undefined;
    }
    const removed = await invitations.remove(trx, projectId, id);
    if (removed !== undefined)
      await recordActivity(trx, {
        projectId,
        actor: principal,
        action: 'invitation.deleted',
        subjectId: removed.id,
        details: { email, role: removed.role },
      });
    return undefined;
  };
}
