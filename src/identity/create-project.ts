import type { RecordActivity } from '../activity/record.ts';
import { EVERY_SCOPE } from '../http/key-scopes.ts';
import type { Principal } from '../http/principal.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { MembersStore } from '../projects/members.store.ts';
import { type ProjectWire, toProjectWire } from '../projects/projects.schema.ts';
import type { NewProject, Project, ProjectsStore } from '../projects/projects.store.ts';
import type { ApiKeysStore } from './api-keys/api-keys.store.ts';
import { generateManagedKey } from './signing-keys/key-material.ts';
import type { SigningKeysStore } from './signing-keys/signing-keys.store.ts';

type Operator = Extract<Principal, { kind: 'operator' }>;

export type CreateProjectDependencies = {
  projects: ProjectsStore;
  members: MembersStore;
  signingKeys: SigningKeysStore;
  apiKeys: ApiKeysStore;
  recordActivity: RecordActivity;
};

/** How a project comes to be, for the API and for the first set-up. */
export function createCreateProject(deps: CreateProjectDependencies) {
  /** A project with its creator as owner and a managed key, so that user tokens can be minted at once. */
  async function createProject(trx: Db, owner: Operator, input: NewProject): Promise<Project> {
    const project = await deps.projects.insert(trx, input);
    await deps.members.insert(trx, project.id, owner.operatorId, 'owner');
    await deps.signingKeys.insert(trx, project.id, {
      kind: 'managed',
      alg: 'ES256',
      ...generateManagedKey(),
      createdBy: owner.operatorId,
    });
    await deps.recordActivity(trx, {
      projectId: project.id,
      actor: owner,
      action: 'project.created',
      subjectId: project.id,
      details: { name: project.name },
    });
    return project;
  }

  /** The project of the first set-up, where asked with an API key that is shown this once. */
  async function createFirstProject(
    trx: Db,
    input: {
      name: string;
      operatorId: string;
      sourceAddress?: string | undefined;
      withApiKey: boolean;
    },
  ): Promise<{ project: ProjectWire; apiKey: { id: string; key: string } | null }> {
    const { operatorId, sourceAddress } = input;
    const owner: Operator = { kind: 'operator', operatorId, sourceAddress };
    const project = await createProject(trx, owner, { name: input.name });
    const apiKey = input.withApiKey ? await createFirstKey(trx, project.id, owner) : null;
    return { project: toProjectWire(project), apiKey };
  }

  async function createFirstKey(trx: Db, projectId: string, owner: Operator) {
    const { apiKey, key } = await deps.apiKeys.insert(trx, {
      projectId,
      name: 'First set-up',
      createdBy: owner.operatorId,
      expiresAt: null,
      scopes: [EVERY_SCOPE],
      allowedAddresses: null,
    });
    await deps.recordActivity(trx, {
      projectId,
      actor: owner,
      action: 'api_key.created',
      subjectId: apiKey.id,
      details: { name: apiKey.name, scopes: apiKey.scopes, allowedAddresses: apiKey.allowedAddresses },
    });
    return { id: apiKey.id, key };
  }

  return { createProject, createFirstProject };
}
