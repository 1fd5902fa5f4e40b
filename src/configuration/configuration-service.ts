import type { RecordActivity } from '../activity/record.ts';
import { assertIfMatch, formatEtag } from '../http/conditional.ts';
import type { CommitReply, Endpoint, EndpointReply } from '../http/endpoint.ts';
import { HttpError } from '../http/errors.ts';
import { findMissingScopes } from '../http/key-scopes.ts';
import { type Principal, principalId } from '../http/principal.ts';
import { removeSecrets } from '../lib/remove-secrets.ts';
import type { Db } from '../platform/postgres/database.ts';
import { withoutStoreLimit } from '../platform/postgres/store-time.ts';
import type { Access } from '../projects/access.ts';
import { applyPlan } from './apply-plan.ts';
import { type ChangeMember, type Changing, changeObject } from './change-objects.ts';
import { type ReadOptions, readState, type StateReader } from './current-state.ts';
import type { ConfigurationDocument, DocumentSchema } from './document.schema.ts';
import { readDriftReport } from './drift-report.ts';
import { exportDocument } from './export-document.ts';
import { OBJECT_KINDS } from './objects.ts';
import type { Operations } from './operations.ts';
import { type Plan, type PlannedChange, planChanges } from './plan.ts';
import { normalizeSecrets } from './references.ts';
import { type MergedSource, readSource } from './source.ts';
import { type DescribeProviders, readWanted, type WantedState } from './wanted-state.ts';
import type { ReadYaml } from './yaml/yaml-threads.ts';

type Caller = Exclude<Principal, { kind: 'end_user' }>;
type Input = Parameters<Endpoint['handler']>[0];

/** The operations of the rooms below on one transaction, with what is done once that has committed. */
export type Scope = {
  readonly operations: Operations;
  readonly changeMember: ChangeMember;
  forgetProviders(projectId: string): void;
  afterCommit(): Promise<void>;
};

export type GivenFile = {
  readonly configuration: unknown;
  readonly overlays: readonly unknown[];
  readonly secrets: Readonly<Record<string, string>>;
};

export type ConfigurationDependencies = {
  readonly db: Db;
  readonly access: Access;
  readonly reader: StateReader;
  readonly schema: DocumentSchema;
  readonly readYaml: ReadYaml;
  readonly recordActivity: RecordActivity;
  describeProviders(projectId: string, document: ConfigurationDocument): ReturnType<DescribeProviders>;
  lockProject(trx: Db, projectId: string): Promise<boolean>;
  openScope(trx: Db): Scope;
};

export type ConfigurationService = ReturnType<typeof createConfigurationService>;

export function createConfigurationService(deps: ConfigurationDependencies) {
  const { db, access, reader } = deps;

  async function optionsFor(principal: Caller, projectId: string): Promise<ReadOptions> {
    await access.requireProjectAccess(principal, projectId, 'read');
    return {
      withMembers: principal.kind === 'operator',
      withSecrets: await mayWrite(access, principal, projectId),
    };
  }

  async function requireState(projectId: string, options: ReadOptions) {
    const state = await readState(reader, db, projectId, options);
    if (state === undefined) throw new HttpError('project_not_found');
    return state;
  }

  async function want(
    projectId: string,
    given: GivenFile,
    { withMembers }: ReadOptions,
  ): Promise<{ readonly source: MergedSource; readonly wanted: WantedState }> {
    const source = await readSource(deps.readYaml, projectId, given);
    const secrets = normalizeSecrets(given.secrets);
    const wanted = await readWanted(source, {
      schema: deps.schema,
      secrets,
      withMembers,
      describeProviders: (document) => deps.describeProviders(projectId, document),
    });
    return { source, wanted };
  }

  async function planFor(projectId: string, given: GivenFile, options: ReadOptions) {
    return hideSecrets(given, async () => {
      const { source, wanted } = await want(projectId, given, options);
      const state = await requireState(projectId, options);
      return { state, plan: planChanges(state, wanted, source) };
    });
  }

  return {
    async export(principal: Caller, projectId: string) {
      const options = await optionsFor(principal, projectId);
      const state = await requireState(projectId, options);
      const kinds = OBJECT_KINDS.filter((kind) => kind !== 'member' || options.withMembers);
      return { configuration: exportDocument(state, kinds), stateHash: state.hash };
    },

    async plan(principal: Caller, projectId: string, given: GivenFile) {
      const options = await optionsFor(principal, projectId);
      const { state, plan } = await planFor(projectId, given, options);
      return { plan, stateHash: state.hash };
    },

    async drift(
      principal: Caller,
      projectId: string,
      given: Omit<GivenFile, 'configuration'> & { readonly configuration?: unknown },
    ) {
      const options = await optionsFor(principal, projectId);
      const { configuration } = given;
      if (configuration === undefined)
        return readDriftReport(await requireState(projectId, { ...options, withSecrets: true }));
      const { state, plan } = await planFor(projectId, { ...given, configuration }, options);
      return readDriftReport(state, plan);
    },

    async apply<Output>(
      principal: Caller,
      projectId: string,
      given: GivenFile & { readonly stateHash: string },
      answering: Pick<Input, 'request' | 'requestId'> & {
        readonly commitReply: CommitReply;
        replyOf(plan: Plan, hash: string): EndpointReply<Output>;
      },
    ): Promise<EndpointReply<Output>> {
      await access.requireProjectAccess(principal, projectId, 'write');
      const options = await optionsFor(principal, projectId);
      return hideSecrets(given, async () => {
        const { source, wanted } = await want(projectId, given, options);
        let afterwards = async () => {};
        let left: readonly PlannedChange[] = [];
        let cookies: readonly string[] = [];
        // As many statements as the file has objects: each has its own limit of time.
        const reply = await withoutStoreLimit(() =>
          answering.commitReply(db, async (trx) => {
            const scope = deps.openScope(trx);
            afterwards = scope.afterCommit;
            const takeCookies = (renewed: readonly string[]) => {
              cookies = renewed;
            };
            const caller = {
              ...{ trx, principal, source, projectId, takeCookies },
              ...{ ...scope, ...pickRequest(answering) },
            };
            const { plan, hash, ...rest } = await applyPlan(trx, {
              ...{ reader, options, projectId, source, wanted, hash: given.stateHash },
              by: principalId(principal),
              assertWanted: (hash) => assertIfMatch(answering.request, formatEtag(hash)),
              lockProject: (on) => deps.lockProject(on, projectId),
              changing: () => caller,
              forgetProviders: () => scope.forgetProviders(projectId),
            });
            left = rest.left;
            await recordApply(deps.recordActivity, trx, { projectId, principal, plan, hash });
            return { ...answering.replyOf(plan, hash), cookies };
          }),
        );
        await afterwards();
        await deleteLeft(deps, left, { principal, source, projectId, ...pickRequest(answering) });
        return reply;
      });
    },
  };
}

function pickRequest({ request, requestId }: Pick<Input, 'request' | 'requestId'>) {
  return { request, requestId };
}

/** Best as it goes: a provider that is still in use then is one made by hand. */
async function deleteLeft(
  { db, openScope }: ConfigurationDependencies,
  left: readonly PlannedChange[],
  caller: Pick<Changing, 'principal' | 'source' | 'projectId' | 'request' | 'requestId'>,
): Promise<void> {
  for (const change of left) {
    const changing = {
      ...{ ...caller, ...openScope(db), trx: db, ids: new Map<string, string>() },
      takeCookies: () => undefined,
    };
    await changeObject(changing, change).catch((error: unknown) => {
      if (!(error instanceof HttpError)) throw error;
    });
  }
}

/** Whether the caller could change what it compares: then a comparison tells it nothing that it could not set. */
async function mayWrite(access: Access, principal: Caller, projectId: string): Promise<boolean> {
  if (principal.kind === 'api_key')
    return findMissingScopes(principal.scopes, ['configuration:write']).length === 0;
  try {
    await access.requireProjectAccess(principal, projectId, 'write');
    return true;
  } catch (error) {
    if (error instanceof HttpError && error.code === 'insufficient_role') return false;
    throw error;
  }
}

async function recordApply(
  recordActivity: RecordActivity,
  trx: Db,
  {
    projectId,
    principal,
    plan: { changes },
    hash,
  }: { readonly projectId: string; readonly principal: Caller; readonly plan: Plan; readonly hash: string },
): Promise<void> {
  const count = (action: string) => changes.filter((change) => change.action === action).length;
  await recordActivity(trx, {
    projectId,
    actor: principal,
    action: 'configuration.applied',
    subjectId: projectId,
    details: {
      created: count('create'),
      updated: count('update'),
      deleted: count('delete'),
      stateHash: hash,
    },
  });
}

/** What a secret is recognized by before it is looked for in all its forms. */
const SECRET_START = 6;
/** So many are looked for: where more could be in a refusal, its words are left out. */
const SECRETS_SOUGHT_MAX = 100;
const LEFT_OUT = 'Left out: it begins like too many of the secrets.';

/** A refusal may repeat what it refuses: not where that came by a reference. */
async function hideSecrets<Result>(given: GivenFile, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    const said = [error.detail, ...(error.errors ?? []).map(({ message }) => message)].join('\n');
    // Of a thousand secrets nearly none is in a refusal, and each takes time in all its forms.
    const values = Object.values(given.secrets).filter((secret) =>
      said.includes(secret.slice(0, SECRET_START)),
    );
    const isSearched = values.length <= SECRETS_SOUGHT_MAX;
    const clean = (text: string) => (isSearched ? removeSecrets(text, values) : LEFT_OUT);
    const { code, headers, extra, errors, detail } = error;
    throw new HttpError(code, {
      ...{ headers, extra, detail: clean(detail), cause: error.cause },
      ...(errors && { errors: errors.map((fault) => ({ ...fault, message: clean(fault.message) })) }),
    });
  }
}
