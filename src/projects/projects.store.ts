import { newId } from '../lib/ids.ts';
import type { Db } from '../platform/postgres/database.ts';
import { type AgentSignIn, readAgentSignIn, type StoredAgentSignIn } from './agent-sign-in.ts';
import { type QuotasColumn, readQuotas, selectQuotas } from './organization-quotas.store.ts';

type ProjectLimits = Readonly<{
  proxyCallsPerMinute?: number | undefined;
  organizationCallsPerDay?: number | undefined;
}>;

/** How the hosted pages look for this project's users. */
export type Branding = Readonly<{
  displayName?: string | undefined;
  logoUrl?: string | undefined;
  color?: string | undefined;
}>;

export type Project = Readonly<{
  id: string;
  name: string;
  allowedOrigins: string[];
  returnUrls: string[];
  /** A page that signs a person in and opens an approval for them. */
  approvalPage: string | null;
  /** How persons sign in for agents that know nothing of the application; null: they cannot. */
  agentSignIn: AgentSignIn | null;
  hasAgentSignInSecret: boolean;
  limits: ProjectLimits;
  branding: Branding;
  /** Claims of user tokens that become tags of connections. */
  tagClaims: string[];
  requireMandate: boolean;
  /** Nothing of it is called, refreshed, polled or delivered; null: it is not frozen. */
  frozen: { readonly at: Date; readonly reason: string | null } | null;
  version: number;
  createdAt: Date;
  updatedAt: Date;
}>;

export type AgentSignInWithSecret = AgentSignIn & { readonly secretSealed: string | null };

type ProjectRulesRow = {
  allowedOrigins: string[];
  returnUrls: string[];
  limits: ProjectLimits;
  tagClaims: string[];
  organizationQuotas: ReadonlyMap<string, number>;
};

/** Members left undefined stay as they are. */
export type ProjectChange = {
  readonly name?: string | undefined;
  readonly allowedOrigins?: readonly string[] | undefined;
  readonly returnUrls?: readonly string[] | undefined;
  readonly approvalPage?: string | null | undefined;
  readonly agentSignIn?: AgentSignIn | null | undefined;
  readonly agentSignInSecretSealed?: string | null | undefined;
  readonly limits?: ProjectLimits | undefined;
  readonly branding?: Branding | undefined;
  readonly tagClaims?: readonly string[] | undefined;
  readonly requireMandate?: boolean | undefined;
};

/** The id where something of it was needed before. */
export type NewProject = ProjectChange & { readonly name: string; readonly id?: string | undefined };

type Row = {
  deleted_at: Date | null;
  id: string;
  name: string;
  allowed_origins: string[];
  return_urls: string[];
  approval_page: string | null;
  agent_sign_in: StoredAgentSignIn | null;
  agent_sign_in_secret_sealed: string | null;
  limits: ProjectLimits;
  branding: Branding;
  tag_claims: string[];
  require_mandate: boolean;
  frozen_at: Date | null;
  frozen_reason: string | null;
  version: number;
  created_at: Date;
  updated_at: Date;
};

export type ProjectsStore = ReturnType<typeof createProjectsStore>;

export function createProjectsStore({ db }: { db: Db }) {
  return {
    ...createProjectRules(db),

    async find(projectId: string): Promise<Project | undefined> {
      const row = await db<Row>('projects').where({ id: projectId }).whereNull('deleted_at').first();
      return row && fromRow(row);
    },

    /** Of the given projects, newest first. */
    async list(filter: {
      projectIds: readonly string[];
      beforeId: string | undefined;
      limit: number;
    }): Promise<Project[]> {
      const query = db<Row>('projects').whereIn('id', filter.projectIds).whereNull('deleted_at');
      if (filter.beforeId !== undefined) query.where('id', '<', filter.beforeId);
      return (await query.orderBy('id', 'desc').limit(filter.limit).select('*')).map(fromRow);
    },

    async insert(trx: Db, project: NewProject): Promise<Project> {
      const [row] = await trx<Row>('projects')
        .insert({ id: project.id ?? newId(), ...columnsOf(project) })
        .returning('*');
      if (row === undefined) throw new Error('an inserted project was not returned');
      return fromRow(row);
    },

    /** The project, held until the transaction ends, so that changes to it happen one after the other. */
    async lock(trx: Db, projectId: string): Promise<Project | undefined> {
      // NO KEY, so that rows which point at the project (connections, users) may be written meanwhile.
      const row = await trx<Row>('projects')
        .where({ id: projectId })
        .whereNull('deleted_at')
        .forNoKeyUpdate()
        .first();
      return row && fromRow(row);
    },

    /** The project, held until the transaction ends; rows that would point at it wait, and fail once it is gone. */
    async lockForDelete(trx: Db, projectId: string): Promise<Project | undefined> {
      const row = await trx<Row>('projects')
        .where({ id: projectId })
        .whereNull('deleted_at')
        .forUpdate()
        .first();
      return row && fromRow(row);
    },

    async update(trx: Db, projectId: string, change: ProjectChange): Promise<Project | undefined> {
      const [row] = await trx<Row>('projects')
        .where({ id: projectId })
        .update({ ...columnsOf(change), version: trx.raw('version + 1'), updated_at: trx.fn.now() })
        .returning('*');
      return row && fromRow(row);
    },

    /** Freezes the project, or lets it go on. */
    async setFrozen(
      trx: Db,
      projectId: string,
      freeze: { readonly reason: string | null } | undefined,
    ): Promise<Project> {
      const [row] = await trx<Row>('projects')
        .where({ id: projectId })
        .update({
          frozen_at: freeze === undefined ? null : trx.fn.now(),
          frozen_reason: freeze?.reason ?? null,
          version: trx.raw('version + 1'),
          updated_at: trx.fn.now(),
        })
        .returning('*');
      if (row === undefined) throw new Error('a locked project was not returned');
      return fromRow(row);
    },

    /** Remembers who owns the project, which is about to be deleted: they go on reading its audit log. */
    async keepOwners(trx: Db, projectId: string): Promise<void> {
      await trx.raw(
        `INSERT INTO deleted_project_owners (operator_id, project_id)
         SELECT operator_id, project_id FROM project_members WHERE project_id = ? AND role = 'owner'
         ON CONFLICT DO NOTHING`,
        [projectId],
      );
    },
  };
}

function createProjectRules(db: Db) {
  return {
    /** What browsers may do for this project; undefined when there is no such project. */
    async findProjectRules(projectId: string): Promise<ProjectRulesRow | undefined> {
      const row = await db<Row>('projects')
        .where({ id: projectId })
        .whereNull('deleted_at')
        .first<(Row & { organization_quotas: QuotasColumn }) | undefined>(
          ...['allowed_origins', 'return_urls', 'limits', 'tag_claims'],
          selectQuotas(db, 'projects.id'),
        );
      return (
        row && {
          ...{ allowedOrigins: row.allowed_origins, returnUrls: row.return_urls },
          ...{ limits: row.limits, tagClaims: row.tag_claims },
          organizationQuotas: readQuotas(row.organization_quotas),
        }
      );
    },

    /** Claims of user tokens that the project makes tags of. */
    async findTagClaims(trx: Db, projectId: string): Promise<readonly string[]> {
      const row = await trx<Row>('projects').where({ id: projectId }).first('tag_claims');
      return row?.tag_claims ?? [];
    },

    /** Whose name, logo and colour the hosted pages show. */
    async findBrand(
      projectId: string,
    ): Promise<{ name: string; logoUrl: string | undefined; color: string | undefined } | undefined> {
      const row = await db<Row>('projects')
        .where({ id: projectId })
        .whereNull('deleted_at')
        .first('name', 'branding');
      if (row === undefined) return undefined;
      const { displayName, logoUrl, color } = row.branding;
      return { name: displayName ?? row.name, logoUrl, color };
    },

    /** The application's page that opens approvals for persons; null where there is none. */
    async findApprovalPage(projectId: string): Promise<string | null> {
      const row = await db<Row>('projects')
        .where({ id: projectId })
        .whereNull('deleted_at')
        .first('approval_page');
      return row?.approval_page ?? null;
    },

    /** Null where no person can sign in for agents. Setting and secret are read together. */
    async findAgentSignIn(projectId: string): Promise<AgentSignInWithSecret | null> {
      const row = await db<Row>('projects')
        .where({ id: projectId })
        .whereNull('deleted_at')
        .first('agent_sign_in', 'agent_sign_in_secret_sealed');
      const setting = readAgentSignIn(row?.agent_sign_in ?? null);
      return setting && { ...setting, secretSealed: row?.agent_sign_in_secret_sealed ?? null };
    },

    /** For preflights, which name no project: those of the given origins that some project allows. */
    async findKnownOriginsOfAnyProject(origins: readonly string[]): Promise<string[]> {
      const { rows } = await db.raw<{ rows: { origin: string }[] }>(
        `SELECT origin FROM unnest(?::text[]) AS origin
         WHERE EXISTS (SELECT 1 FROM projects WHERE allowed_origins @> ARRAY[origin])`,
        [[...origins]],
      );
      return rows.map(({ origin }) => origin);
    },
  };
}

function columnsOf({
  name,
  allowedOrigins,
  returnUrls,
  approvalPage,
  agentSignIn,
  agentSignInSecretSealed: secretSealed,
  limits,
  branding,
  tagClaims,
  requireMandate,
}: ProjectChange) {
  return {
    ...(name !== undefined && { name }),
    ...(allowedOrigins && { allowed_origins: [...allowedOrigins] }),
    ...(returnUrls && { return_urls: [...returnUrls] }),
    ...(approvalPage !== undefined && { approval_page: approvalPage }),
    ...(agentSignIn !== undefined && { agent_sign_in: agentSignIn }),
    ...(secretSealed !== undefined && { agent_sign_in_secret_sealed: secretSealed }),
    ...(limits && { limits }),
    ...(branding && { branding }),
    ...(tagClaims && { tag_claims: [...tagClaims] }),
    ...(requireMandate !== undefined && { require_mandate: requireMandate }),
  };
}

function fromRow(row: Row): Project {
  return {
    id: row.id,
    name: row.name,
    allowedOrigins: row.allowed_origins,
    returnUrls: row.return_urls,
    approvalPage: row.approval_page,
    agentSignIn: readAgentSignIn(row.agent_sign_in),
    hasAgentSignInSecret: row.agent_sign_in_secret_sealed !== null,
    limits: row.limits,
    branding: row.branding,
    tagClaims: row.tag_claims,
    requireMandate: row.require_mandate,
    frozen: row.frozen_at && { at: row.frozen_at, reason: row.frozen_reason },
    version: row.version,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
