import type { DistributiveOmit, ProjectChange } from '../activity/actions.ts';
import type { RecordActivity } from '../activity/record.ts';
import type { ProviderFault, ProviderOptions } from '../catalog/loading/provider-from-file.ts';
import type { Provider } from '../catalog/schema/provider.schema.ts';
import { assertIfMatch, formatEtag } from '../http/conditional.ts';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { HttpError } from '../http/errors.ts';
import { type Principal, principalId } from '../http/principal.ts';
import type { Db } from '../platform/postgres/database.ts';
import { requireSingle, selectProjects } from './catalog.router.ts';
import { catalogProvider, providerParams, providerQuery } from './catalog.schema.ts';
import { type Origins, toCustomProviderWire } from './catalog-wire.ts';
import { completeDescription, providerFromDescription, stripCustomPrefix } from './custom-description.ts';
import { assertBreaksNothing, assertRoom, assertUnused, lockUses } from './custom-provider-rules.ts';
import {
  createProviderBody,
  createProviderQuery,
  type DryRun,
  providerDryRun,
  updateProviderBody,
} from './custom-providers.schema.ts';
import type { CustomProviderRow, CustomProvidersStore } from './custom-providers.store.ts';
import { assertMayMove } from './named-hosts.ts';

export type CustomProvidersDependencies = {
  db: Db;
  store: CustomProvidersStore;
  options: ProviderOptions;
  origins: Origins;
  projectsOf(principal: Principal): Promise<string[]>;
  requireProjectAccess(principal: Principal, projectId: string, mode: 'write'): Promise<void>;
  projectToChange(principal: Principal, asked: string | undefined): Promise<string>;
  recordActivity: RecordActivity;
  /** What this provider would be sent, with stand-ins for every secret. Sends nothing. */
  dryRun(provider: Provider): Promise<DryRun>;
};

type ProviderChange = DistributiveOmit<
  Extract<ProjectChange, { action: `custom_provider.${string}` }>,
  'projectId' | 'subjectId'
>;

/** The providers that a project describes itself: `custom:<id>`. */
export function createCustomProvidersEndpoints(deps: CustomProvidersDependencies): Endpoint[] {
  return [createProvider(deps), updateProvider(deps), deleteProvider(deps)];
}

function createProvider(deps: CustomProvidersDependencies): Endpoint {
  const { origins, db, store } = deps;
  return endpoint({
    operationId: 'createProvider',
    method: 'post',
    path: '/providers',
    summary: 'Describe a provider of your own',
    description:
      'Takes the fields of a provider file as JSON. The provider belongs to the project and is called `custom:<id>` everywhere; here the id may come with or without that prefix. With `dryRun=true` nothing is stored: the reply shows every request that the provider would get.',
    tag: 'Catalog',
    principals: ['operator', 'api_key'],
    leastRole: 'admin',
    keyScope: 'integrations:write',
    query: createProviderQuery,
    body: createProviderBody,
    success: { status: 201, schema: catalogProvider, description: 'The provider' },
    otherSuccess: { status: 200, schema: providerDryRun, description: 'A dry run: what would be sent' },
    errors: ['project_not_found', 'provider_exists', 'limit_reached'],
    requestExample: EXAMPLE,
    async handler({ principal, query, body, commitReply }) {
      const { projectId: asked, ...given } = body;
      const description = completeDescription(given);
      const projectId = await deps.projectToChange(principal, asked);
      const provider = requireProvider(description, deps.options);
      if (query.dryRun === 'true') {
        const shown = toCustomProviderWire({ provider, row: { projectId, description } }, origins, true);
        return { otherBody: { provider: shown, ...(await deps.dryRun(provider)) } };
      }
      return commitReply(db, async (trx) => {
        await assertRoom(store, trx, projectId);
        const made = await store.insert(trx, {
          projectId,
          provider: provider.id,
          description,
          createdBy: principalId(principal),
        });
        if (made === undefined) throw new HttpError('provider_exists');
        await record(deps, trx, made, {
          actor: principal,
          action: 'custom_provider.created',
          details: { provider: made.provider },
        });
        return {
          body: toCustomProviderWire({ provider, row: made }, origins, true),
          etag: formatEtag(made.version),
          headers: { Location: `${origins.publicUrl}/v1/providers/${made.provider}` },
        };
      });
    },
  });
}

function updateProvider(deps: CustomProvidersDependencies): Endpoint {
  const { origins, db, store, options } = deps;
  return endpoint({
    operationId: 'updateProvider',
    method: 'patch',
    path: '/providers/{provider}',
    summary: 'Change a provider of your own',
    description:
      'Each field takes the place of the one before, null takes it away. Connections follow at once. While there are integrations, an operator alone may name hosts that were not named before, since secrets and tokens go there. The id stays, and while there are integrations so do the grants that they use, their kinds of authorization, and which variables are secret.',
    tag: 'Catalog',
    principals: ['operator', 'api_key'],
    leastRole: 'admin',
    keyScope: 'integrations:write',
    params: providerParams,
    query: providerQuery,
    body: updateProviderBody,
    requestExample: { apiBaseUrl: 'https://crm.acme.example/api/v2' },
    success: { status: 200, schema: catalogProvider, description: 'The provider as changed' },
    errors: ['provider_unknown', 'forbidden_principal', 'precondition_failed', 'integrations_exist'],
    async handler({ principal, params, query, body, request }) {
      const current = await findToChange(deps, principal, params.provider, query.projectId);
      assertIfMatch(request, formatEtag(current.version));
      const description = applyChange(current.description, stripCustomPrefix(body));
      const provider = requireProvider(description, options);
      if (provider.id !== current.provider)
        throw refuseDescription([{ path: ['id'], reason: 'cannot be changed' }]);
      const row = await db.transaction(async (trx) => {
        const uses = await lockUses(store, trx, current);
        assertBreaksNothing(current, provider, uses, options);
        assertMayMove(principal, { before: current.description, after: description }, uses);
        const row = await store.update(trx, current, { description, updatedBy: principalId(principal) });
        if (row === undefined) throw new HttpError('precondition_failed');
        await record(deps, trx, row, {
          actor: principal,
          action: 'custom_provider.updated',
          details: { provider: row.provider, fields: Object.keys(body) },
        });
        return row;
      });
      return {
        body: toCustomProviderWire({ provider, row }, origins, true),
        etag: formatEtag(row.version),
      };
    },
  });
}

function deleteProvider(deps: CustomProvidersDependencies): Endpoint {
  const { db, store } = deps;
  return endpoint({
    operationId: 'deleteProvider',
    method: 'delete',
    path: '/providers/{provider}',
    summary: 'Delete a provider of your own',
    description: 'Refused while integrations use it.',
    tag: 'Catalog',
    principals: ['operator', 'api_key'],
    leastRole: 'admin',
    keyScope: 'integrations:write',
    params: providerParams,
    query: providerQuery,
    success: { status: 204, description: 'Deleted' },
    errors: ['provider_unknown', 'integrations_exist', 'precondition_failed'],
    async handler({ principal, params, query, request }) {
      const current = await findToChange(deps, principal, params.provider, query.projectId);
      assertIfMatch(request, formatEtag(current.version));
      await db.transaction(async (trx) => {
        await assertUnused(store, trx, current);
        await record(deps, trx, current, {
          actor: principal,
          action: 'custom_provider.deleted',
          details: { provider: current.provider },
        });
        await store.remove(trx, current);
      });
      return {};
    },
  });
}

function requireProvider(description: unknown, options: ProviderOptions): Provider {
  const loaded = providerFromDescription(description, options);
  if (!loaded.ok) throw refuseDescription(loaded.faults);
  return loaded.provider;
}

async function findToChange(
  deps: CustomProvidersDependencies,
  principal: Principal,
  id: string,
  asked: string | undefined,
): Promise<CustomProviderRow> {
  const { db, store } = deps;
  const found = requireSingle(await store.find(db, id, await selectProjects(deps, principal, asked)));
  await deps.requireProjectAccess(principal, found.projectId, 'write');
  return found;
}

function record(
  { recordActivity }: CustomProvidersDependencies,
  trx: Db,
  { id, projectId }: CustomProviderRow,
  change: ProviderChange,
): Promise<void> {
  return recordActivity(trx, { ...change, projectId, subjectId: id });
}

/** A description with some fields exchanged; null takes one away. */
function applyChange(
  before: Readonly<Record<string, unknown>>,
  change: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries({ ...before, ...change }).filter(([, value]) => value !== null));
}

const NAME_LENGTH_MAX = 64;

function refuseDescription(faults: readonly ProviderFault[]): HttpError {
  return new HttpError('invalid_request', {
    detail: 'The description of the provider has faults.',
    errors: faults.map(({ path, reason }) => ({
      path: ['body', ...path.map((step) => String(step).slice(0, NAME_LENGTH_MAX))].join('.'),
      message: reason,
    })),
  });
}

const EXAMPLE = {
  id: 'acme-crm',
  name: 'Acme CRM',
  category: 'crm',
  auth: 'oauth2',
  authorizationUrl: 'https://crm.acme.example/oauth/authorize',
  tokenUrl: 'https://crm.acme.example/oauth/token',
  apiBaseUrl: 'https://crm.acme.example/api',
};
