import type { RecordActivity } from '../../activity/record.ts';
import type { Db } from '../../platform/postgres/database.ts';
import type { OidcConfig } from '../../settings/oidc.ts';

type Role = NonNullable<OidcConfig['defaultRole']>;

/** Makes an operator a member of every project there is, with this role. Answers the projects. */
export type JoinEveryProject = (trx: Db, operatorId: string, role: Role) => Promise<string[]>;

/** Gives a new operator of single sign-on the configured role in every project; without a role nothing. */
export function createWelcomeNewcomer(deps: {
  readonly role: Role | undefined;
  readonly joinEveryProject: JoinEveryProject;
  readonly recordActivity: RecordActivity;
}) {
  const { role } = deps;
  return async (
    trx: Db,
    { id: operatorId, email }: { readonly id: string; readonly email: string },
    sourceAddress: string | undefined,
  ): Promise<void> => {
    if (role === undefined) return;
    for (const projectId of await deps.joinEveryProject(trx, operatorId, role)) {
      await deps.recordActivity(trx, {
        projectId,
        actor: { kind: 'operator', operatorId, sourceAddress },
        action: 'member.added',
        subjectId: operatorId,
        details: { email, role },
      });
    }
  };
}
