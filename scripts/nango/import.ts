import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type {
  GatewayApi,
  GatewayConnection,
  GatewayIntegration,
  GatewayProvider,
  GatewayWay,
  NewIntegration,
} from './gateway-api.ts';
import {
  mapConnection,
  mapIntegration,
  mapProvider,
  mapUser,
  type Names,
  type UserSource,
} from './mapping.ts';
import type { NangoApi, NangoConnection, NangoFullConnection, NangoIntegration } from './nango-api.ts';
import { emptyReport, type Report } from './report.ts';
import { RequestError } from './request.ts';
import { chooseWay } from './ways.ts';

export type ImportOptions = {
  readonly nango: NangoApi;
  readonly gateway: GatewayApi;
  readonly names: Names;
  readonly userSource: UserSource;
  /** Reads everything and creates nothing. */
  readonly dryRun: boolean;
  now(): number;
};

/** An integration of Nango's with what it is here. */
type Source = { readonly integration: NangoIntegration; readonly provider: GatewayProvider };

/**
 * Brings integrations and connections over, one after the other. What an earlier run brought is found again by what it
 * left in the connections' metadata, so that any number of runs make everything once. What cannot be brought over is
 * in the report; only what stops everything (a key that is refused, a server that is down) is thrown.
 */
export async function importFromNango(options: ImportOptions): Promise<Report> {
  const report = emptyReport(options.dryRun);
  const catalog = new Map((await options.gateway.providers()).map((provider) => [provider.id, provider]));
  const imported = await options.gateway.connections();
  const targets = await createTargets(options, report, imported);
  const done = new Set(imported.flatMap((connection) => originOf(connection)?.id ?? []));
  const sources = await readSources(options, report, catalog, targets);
  for await (const connection of options.nango.connections()) {
    const id = idOf(connection.provider_config_key, connection.connection_id);
    const source = sources.get(connection.provider_config_key);
    if (done.has(id)) report.connections.existing += 1;
    else await bringConnection(options, report, source, connection, targets);
    // Their pages move while connections come and go: the same one may be met twice.
    if (!done.has(id)) done.add(id);
    report.connections.found += 1;
  }
  return report;
}

const origin = z.object({ connectionId: z.string(), integration: z.string() });

/** Where a connection of ours came from, if an import made it. */
function originOf({ customMetadata }: GatewayConnection): { id: string; integration: string } | undefined {
  const parsed = origin.safeParse(customMetadata.nango);
  if (!parsed.success) return undefined;
  const { connectionId, integration } = parsed.data;
  return { id: idOf(integration, connectionId), integration };
}

function idOf(integrationKey: string, connectionId: string): string {
  return `${integrationKey}/${connectionId}`;
}

/** Every integration of Nango's that has a provider here. Those that need nothing of a connection are made at once. */
async function readSources(
  options: ImportOptions,
  report: Report,
  catalog: ReadonlyMap<string, GatewayProvider>,
  targets: Targets,
): Promise<Map<string, Source>> {
  const sources = new Map<string, Source>();
  const found = (await options.nango.integrations()).toSorted((left, right) =>
    left.unique_key < right.unique_key ? -1 : 1,
  );
  for (const { unique_key: key, provider: nangoName } of found) {
    report.integrations.found += 1;
    const mapped = mapProvider(nangoName, options.names, catalog);
    if (!mapped.ok) {
      refuseIntegration(report, key, mapped.reason);
      continue;
    }
    const source = { integration: await options.nango.integration(key), provider: mapped.provider };
    sources.set(key, source);
    const way = wayWithoutConnection(source);
    if (way !== undefined) await targets.find({ ...source, way }, undefined);
  }
  return sources;
}

/** The way to authenticate of an integration that needs nothing of a connection; undefined where only one can tell. */
function wayWithoutConnection({ integration, provider }: Source): GatewayWay | undefined {
  const [usual, ...others] = provider.grants;
  const kind = integration.credentials?.type;
  const chosen = kind === undefined ? undefined : chooseWay(provider, kind);
  const way = chosen?.ok ? chosen.way : others.length === 0 ? usual : undefined;
  if (way === undefined || way.auth === 'oauth2-client-credentials') return undefined;
  return way.variables.some(({ from }) => from === 'integration') ? undefined : way;
}

async function bringConnection(
  options: ImportOptions,
  report: Report,
  source: Source | undefined,
  listed: NangoConnection,
  targets: Targets,
): Promise<void> {
  const name = idOf(listed.provider_config_key, listed.connection_id);
  const refuse = (reason: string) => {
    report.connections.unmapped += 1;
    report.unmapped.push({ kind: 'connection', name, reason });
  };
  if (source === undefined) return refuse('its integration could not be brought over');
  const user = mapUser(listed, options.userSource);
  if (!user.ok) return refuse(user.reason);
  const full = await readConnection(options.nango, listed);
  if ('reason' in full) return refuse(full.reason);
  const chosen = chooseWay(source.provider, full.credentials.type);
  if (!chosen.ok) return refuse(chosen.reason);
  const held = { provider: source.provider, way: chosen.way };
  const mapped = mapConnection(held, full, user.userId, options.names, options.now());
  if (!mapped.ok) return refuse(mapped.reason);
  const target = await targets.find({ ...source, way: chosen.way }, full);
  if ('reason' in target) return refuse(target.reason);
  try {
    if (!options.dryRun) await options.gateway.importConnection(target.id, mapped.body);
  } catch (error) {
    return refuse(reasonOf(error));
  }
  report.connections.created += 1;
  for (const reason of mapped.warnings) report.warnings.push({ kind: 'connection', name, reason });
}

/** Nango answers an error for a connection whose refresh failed; that is one connection's trouble. */
async function readConnection(
  nango: NangoApi,
  listed: NangoConnection,
): Promise<NangoFullConnection | { reason: string }> {
  try {
    return await nango.connection(listed);
  } catch (error) {
    if (error instanceof z.ZodError)
      return { reason: 'Nango’s answer has another form than its documentation says' };
    if (error instanceof RequestError && ![0, 401, 403, 429].includes(error.status)) {
      return { reason: `Nango cannot give its credentials: ${codeIn(error.body) ?? error.status}` };
    }
    throw error;
  }
}

type Target = { readonly id: string } | { readonly reason: string };
type Targets = {
  find(
    source: Source & { readonly way: GatewayWay },
    connection: NangoFullConnection | undefined,
  ): Promise<Target>;
};

/** Our integrations, by what they came from or what they are like; made where there is none yet. */
async function createTargets(
  options: ImportOptions,
  report: Report,
  imported: readonly GatewayConnection[],
): Promise<Targets> {
  const existing = (await options.gateway.integrations()).toReversed();
  const keyOf = new Map(imported.flatMap((one) => pairOf(one)));
  const found = new Map<string, Target>();

  function alike(key: string, body: NewIntegration): GatewayIntegration | undefined {
    const candidates = existing.filter(({ id }) => (keyOf.get(id) ?? key) === key);
    return candidates.find((candidate) => isAlike(candidate, body));
  }

  async function make(key: string, body: NewIntegration): Promise<Target> {
    try {
      const id = options.dryRun ? `new:${key}` : await options.gateway.createIntegration(body, key);
      keyOf.set(id, key);
      report.integrations.created += 1;
      return { id };
    } catch (error) {
      return { reason: reasonOf(error) };
    }
  }

  async function find(
    source: Source & { readonly way: GatewayWay },
    connection: NangoFullConnection | undefined,
  ): Promise<Target> {
    const key = source.integration.unique_key;
    const mapped = mapIntegration(source, source.integration, connection, options.names);
    const { serviceProvider, grant, clientId, variables } = mapped.ok ? mapped.body : {};
    const identity = JSON.stringify([key, serviceProvider, grant, clientId, variables]);
    const known = found.get(identity);
    if (known !== undefined) return known;
    const target = mapped.ok ? await findOrMake(key, mapped.body) : { reason: mapped.reason };
    if ('reason' in target) refuseIntegration(report, key, target.reason);
    found.set(identity, target);
    return target;
  }

  async function findOrMake(key: string, body: NewIntegration): Promise<Target> {
    const there = alike(key, body);
    if (there === undefined) return make(key, body);
    keyOf.set(there.id, key);
    report.integrations.existing += 1;
    return { id: there.id };
  }

  return { find };
}

function pairOf(connection: GatewayConnection): [string, string][] {
  const from = originOf(connection);
  return from === undefined ? [] : [[connection.integrationId, from.integration]];
}

function isAlike(there: GatewayIntegration, wanted: NewIntegration): boolean {
  return (
    there.serviceProvider === wanted.serviceProvider &&
    there.clientId === (wanted.clientId ?? null) &&
    there.grant === (wanted.grant ?? null) &&
    isDeepStrictEqual(there.variables, { ...wanted.variables })
  );
}

function refuseIntegration(report: Report, name: string, reason: string): void {
  report.integrations.unmapped += 1;
  report.unmapped.push({ kind: 'integration', name, reason });
}

const problem = z.object({
  code: z.string(),
  errors: z.array(z.object({ path: z.string(), message: z.string() })).default([]),
});

/** A refusal of the gateway in words: it names fields, never what stands in them. Throws what is no refusal. */
function reasonOf(error: unknown): string {
  const parsed = error instanceof RequestError ? problem.safeParse(error.body) : undefined;
  if (!(error instanceof RequestError) || !parsed?.success || [401, 403].includes(error.status)) throw error;
  const { code, errors } = parsed.data;
  const details = errors.map(({ path, message }) => `${path} ${message}`);
  return `refused by the gateway: ${[code, ...details].join('; ')}`;
}

const nangoProblem = z.object({ error: z.object({ code: z.string().regex(/^[\w.-]{1,60}$/) }) });

function codeIn(body: unknown): string | undefined {
  const parsed = nangoProblem.safeParse(body);
  return parsed.success ? parsed.data.error.code : undefined;
}
