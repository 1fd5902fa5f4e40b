import type { RecordActivity } from '../activity/record.ts';
import type { Config } from '../config.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { createIdentity, type IdentityInput } from '../identity/create-identity.ts';
import { createEndInvitations } from '../identity/invitations/end-invitations.ts';
import type { FindAccessFacts } from '../identity/mandates/explain.router.ts';
import { createOperators } from '../operators/create-operators.ts';
import type { Changes } from '../platform/change-notices.ts';
import type { Kit } from '../platform/kit.ts';
import type { SharedLimits } from '../platform/limits/shared-limits.ts';
import type { Mailer } from '../platform/mailer.ts';
import { createPseudonyms } from '../platform/pseudonyms.ts';
import { createProjects, type Projects, type TransactionScope } from '../projects/create-projects.ts';
import { projectSchema } from '../projects/projects.schema.ts';

/** What the endpoints of projects need of rooms above identity. */
export type AboveProjects = Pick<
  Parameters<Projects['endpoints']>[0],
  'countConnections' | 'hide' | 'endSessions' | 'eraseSoon' | 'holds' | 'resume'
>;

export type Identity = ReturnType<typeof composeIdentity>;

/** Joins what identifies callers, and says what they may do: projects, operators, identity. */
export function composeIdentity(input: {
  readonly kit: Kit;
  readonly config: Config;
  readonly changes: Changes;
  readonly mailer: Mailer;
  readonly recordActivity: RecordActivity;
  readonly sharedLimits: SharedLimits;
  readonly noteRefusedToken: IdentityInput['noteRefusedToken'];
}) {
  const { config, recordActivity } = input;
  const deps = { ...input.kit, ...input, allowPrivateNetworks: config.allowPrivateNetworks };
  const projects = createProjects(deps);
  const operators = createOperators({
    ...deps,
    oidc: config.oidc,
    personalAccessTokenDaysMax: config.personalAccessTokenDaysMax,
    joinEveryProject: projects.members.insertIntoEveryProject,
    endInvitations: createEndInvitations({ ...projects, recordActivity }),
  });
  const pseudonyms = createPseudonyms(deps);
  const identity = createIdentity({
    ...deps,
    pseudonyms,
    projects,
    operators,
    tenancy: config.tenancy,
    callsAtOnceMax: config.proxy.concurrency.total,
    failedAuthenticationPerMinute: config.rateLimits.failedAuthenticationPerMinute,
  });
  const ofProjects = {
    createProject: identity.createProject,
    tenancy: config.tenancy,
    allowInsecureAddresses: config.allowPrivateNetworks,
    renewOwnSession: (trx, operatorId, by) =>
      operators.browserSessions.renewOwn(trx, operatorId, by, 'role_change'),
  } satisfies Partial<Parameters<Projects['endpoints']>[0]>;
  return {
    ...projects,
    operators: operators.operators,
    singleSignOn: operators.singleSignOnRouter,
    keySets: identity.keySets,
    invite: identity.invite,
    pseudonyms,
    revokeTokensOfErased: identity.revokeTokensOfErased,
    authenticate: identity.authenticate,
    exchangeRouter: identity.exchangeRouter,
    chores: [...operators.chores, ...identity.chores],
    /** The operations on the project and its members, in a transaction. */
    changesOn: (above: AboveProjects & TransactionScope): Endpoint[] =>
      projects.changesOn({ ...above, ...ofProjects }),
    endpoints(above: AboveProjects & { readonly findAccessFacts: FindAccessFacts }): Endpoint[] {
      const { createFirstProject } = identity;
      return [
        ...operators.setupEndpoints({ projectSchema, createFirstProject }),
        ...operators.endpoints,
        ...projects.endpoints({ ...above, ...ofProjects }),
        ...identity.endpoints(above),
      ];
    },
  };
}
