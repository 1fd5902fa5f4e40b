import type { Actor, ProjectChange } from '../activity/actions.ts';
import type { RecordActivity } from '../activity/record.ts';
import { newId } from '../lib/ids.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { Interaction } from './authorization-server.ts';
import type { Consent, ConsentAccess } from './consent.ts';
import type { ConsentsStore } from './consents.store.ts';
import type { RegisteredClientsStore } from './registered-clients.store.ts';
import type { SignedIn } from './sign-ins.ts';

export type DecisionDependencies = {
  readonly db: Db;
  readonly consents: ConsentsStore;
  readonly clients: Pick<RegisteredClientsStore, 'noteUse'>;
  readonly recordActivity: RecordActivity;
  endUserId(projectId: string, subject: string): Promise<string>;
};

/** Keeps what a person has allowed, unless that has been decided before: `take` says. Gives the id of the consent. */
export async function allow(
  { db, consents, clients, recordActivity, endUserId }: DecisionDependencies,
  { projectId, clientId, clientName }: Interaction,
  person: SignedIn,
  choice: {
    readonly access: ConsentAccess;
    readonly requestId: string;
    readonly sourceAddress: string | undefined;
    take(trx: Db): Promise<boolean>;
  },
): Promise<string | undefined> {
  const id = newId();
  const owner = await endUserId(projectId, person.subject);
  const { access, requestId, sourceAddress } = choice;
  const actor = {
    ...{ kind: 'end_user' as const, projectId, endUserId: owner, subject: person.subject },
    ...{ requestId, sourceAddress },
  };
  return db.transaction(async (trx) => {
    if (!(await choice.take(trx))) return undefined;
    const signedInAt = new Date(person.issuedAtMs);
    await consents.insert(trx, {
      ...{ id, projectId, clientId, clientName, access, signedInAt },
      ...{ endUserId: owner, rights: person.rights },
    });
    await clients.noteUse(trx, projectId, clientId);
    await recordActivity(trx, {
      projectId,
      actor,
      action: 'agent_consent.created',
      subjectId: id,
      details: { integrationUserId: owner, clientId, access },
    });
    return id;
  });
}

export function describeWithdrawal(
  { id, projectId, endUserId, clientId }: Consent,
  actor: Actor,
  cause?: 'reuse' | 'revocation' | 'client',
): ProjectChange {
  return {
    projectId,
    actor,
    action: 'agent_consent.withdrawn',
    subjectId: id,
    details: { integrationUserId: endUserId, clientId, ...(cause !== undefined && { cause }) },
  };
}
