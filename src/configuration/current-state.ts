import { createDestinationsStore } from '../events/destinations/destinations.store.ts';
import { createMandatesStore } from '../identity/mandates/mandates.store.ts';
import type { IntegrationsStore } from '../integrations/integrations.store.ts';
import { openCurrentSecrets } from '../integrations/secrets/current-secrets.store.ts';
import type { Db } from '../platform/postgres/database.ts';
import { openOrElse, type Vault } from '../platform/vault.ts';
import { createPollsStore } from '../polls/api/polls.store.ts';
import { clientSecretContext } from '../projects/agent-sign-in.ts';
import { createInvitationsStore } from '../projects/invitations.store.ts';
import { createMembersStore } from '../projects/members.store.ts';
import { createProjectsStore } from '../projects/projects.store.ts';
import { CUSTOM_PREFIX } from '../providers/custom-description.ts';
import { customProvidersStore } from '../providers/custom-providers.store.ts';
import {
  fieldsOfDestination,
  fieldsOfIntegration,
  fieldsOfMandate,
  fieldsOfPoll,
  fieldsOfProject,
  fieldsOfProvider,
} from './canonical-fields.ts';
import { hashValue } from './comparison.ts';
import type { ConfigurationObjectsStore } from './configuration-objects.store.ts';
import { createNamer, slug } from './object-names.ts';
import type { CurrentObject, CurrentState, ManagedObject, ObjectKind } from './objects.ts';
import { KAFKA_PASSWORD } from './wanted-secrets.ts';

/** More than a project may have of anything that a file lists. */
const MANY = 10_000;
const NO_SECRETS: ReadonlyMap<string, string> = new Map();

export type StateReader = {
  readonly vault: Vault;
  readonly integrations: Pick<IntegrationsStore, 'list'>;
  readonly objects: ConfigurationObjectsStore;
};

export type ReadOptions = {
  /** An API key learns nothing of members. */
  readonly withMembers: boolean;
  /** For those who may change them alone: a comparison tells whether a guess is right. */
  readonly withSecrets: boolean;
};

/** Everything of a project that files configure; undefined where there is no such project. */
export async function readState(
  reader: StateReader,
  on: Db,
  projectId: string,
  options: ReadOptions,
): Promise<CurrentState | undefined> {
  const managed = (await reader.objects.list(on, projectId)).filter(
    ({ kind }) => kind !== 'member' || options.withMembers,
  );
  const naming = createNaming(managed);
  const rows = await readRows(reader, on, projectId);
  if (rows === undefined) return undefined;
  const objects = [
    ...nameProviders(rows),
    ...nameMandates(rows, naming),
    ...nameIntegrations(rows, naming, options),
    ...nameDestinations(rows, naming, options),
  ];
  const namesOf = (kind: ObjectKind) =>
    new Map(objects.filter((object) => object.kind === kind).map(({ id, name }) => [id, name]));
  objects.push(...namePolls(rows, naming, namesOf('integration')));
  objects.push(await describeProject(reader, on, rows, { names: namesOf('mandate'), options }));
  if (options.withMembers) objects.push(...(await readMembers(on, projectId)));
  const hashed = objects.map(({ kind, name, id, fields, version }) => ({ kind, name, id, fields, version }));
  const known = managed.map(({ kind, name, objectId }) => ({ kind, name, objectId }));
  const managedById = new Map(managed.map((object) => [`${object.kind} ${object.objectId}`, object]));
  return { objects, managed, managedById, hash: hashValue({ objects: hashed, managed: known }) };
}

type Rows = NonNullable<Awaited<ReturnType<typeof readRows>>>;

/** One after the other: a transaction has one connection. Lists are the oldest first, for names. */
async function readRows({ integrations, vault }: StateReader, on: Db, projectId: string) {
  const project = await createProjectsStore({ db: on }).find(projectId);
  if (project === undefined) return undefined;
  const window = { beforeId: undefined, limit: MANY };
  const projectIds = [project.id];
  return {
    project,
    providers: await customProvidersStore.list(on, projectIds),
    mandates: (await createMandatesStore({ db: on }).list({ projectId, ...window })).toReversed(),
    integrations: (await integrations.list(on, { projectIds, ...window })).toReversed(),
    secrets: await openCurrentSecrets(on, vault, project.id),
    polls: (await createPollsStore().list(on, { projectIds, ...window })).toReversed(),
    ...(await readDestinations(on, vault, project.id)),
  };
}

/** Names that files gave, and made up ones for the rest. */
function createNaming(managed: readonly ManagedObject[]) {
  return (kind: ObjectKind) => {
    const given = managed.filter((object) => object.kind === kind);
    const names = new Map(given.map(({ objectId, name }) => [objectId, name]));
    const makeUp = createNamer(names.values());
    return (id: string, wish: string): string => names.get(id) ?? makeUp(wish);
  };
}

type Naming = ReturnType<typeof createNaming>;

function nameProviders({ providers }: Rows): CurrentObject[] {
  return providers.map(({ id, provider, description, version }) => ({
    kind: 'customProvider',
    name: provider.slice(CUSTOM_PREFIX.length),
    id,
    fields: fieldsOfProvider(description),
    secrets: NO_SECRETS,
    version,
  }));
}

function nameMandates({ mandates }: Rows, naming: Naming): CurrentObject[] {
  const nameOf = naming('mandate');
  return mandates.map((mandate) => ({
    kind: 'mandate',
    name: nameOf(mandate.id, mandate.name),
    id: mandate.id,
    fields: fieldsOfMandate(mandate),
    secrets: NO_SECRETS,
    version: mandate.version,
  }));
}

function nameIntegrations(
  { integrations, secrets }: Rows,
  naming: Naming,
  { withSecrets }: ReadOptions,
): CurrentObject[] {
  const nameOf = naming('integration');
  return integrations.map((integration) => {
    const { id, serviceProvider, grant } = integration;
    const fields = fieldsOfIntegration(integration);
    const { clientSecret = null, webhookSecret = null, variables = {} } = secrets.get(id) ?? {};
    const isOwnClient = fields.clientId === integration.clientId;
    const known = {
      clientSecret: isOwnClient ? clientSecret : null,
      webhookSecret,
      ...Object.fromEntries(Object.entries(variables).map(([name, value]) => [`variables.${name}`, value])),
    };
    const present = Object.entries(known).flatMap(([path, value]) =>
      value === null ? [] : [[path, value] as const],
    );
    return {
      kind: 'integration',
      name: nameOf(id, slug([serviceProvider.replace(CUSTOM_PREFIX, ''), grant ?? ''].join(' '))),
      id,
      fields,
      secrets: new Map(present.map(([path, value]) => [path, withSecrets ? value : ''])),
      version: integration.version,
    };
  });
}

function nameDestinations(
  { destinations, passwords }: Rows,
  naming: Naming,
  { withSecrets }: ReadOptions,
): CurrentObject[] {
  const nameOf = naming('destination');
  return destinations.map((destination) => ({
    kind: 'destination',
    name: nameOf(destination.id, slug(new URL(destination.url).host)),
    id: destination.id,
    fields: fieldsOfDestination(destination),
    secrets: passwordOf(passwords.get(destination.id), withSecrets),
    version: destination.version,
  }));
}

function passwordOf(password: string | undefined, withSecrets: boolean): ReadonlyMap<string, string> {
  return password === undefined ? NO_SECRETS : new Map([[KAFKA_PASSWORD, withSecrets ? password : '']]);
}

async function readDestinations(on: Db, vault: Vault, projectId: string) {
  const store = createDestinationsStore({ vault });
  const destinations = (await store.list(on, [projectId])).toReversed();
  return { destinations, passwords: await store.openPasswords(on, projectId) };
}

function namePolls(
  { polls }: Rows,
  naming: Naming,
  integrationNames: ReadonlyMap<string, string>,
): CurrentObject[] {
  const nameOf = naming('poll');
  return polls.map((poll) => {
    const integration = integrationNames.get(poll.integrationId) ?? poll.integrationId;
    return {
      kind: 'poll',
      name: nameOf(poll.id, slug(`${integration} ${poll.resource ?? poll.objectType}`)),
      id: poll.id,
      fields: fieldsOfPoll(poll, integration),
      secrets: NO_SECRETS,
      version: poll.version,
    };
  });
}

async function describeProject(
  { vault }: StateReader,
  on: Db,
  { project }: Rows,
  { names, options }: { readonly names: ReadonlyMap<string, string>; readonly options: ReadOptions },
): Promise<CurrentObject> {
  const secrets = new Map<string, string>();
  const setting = project.hasAgentSignInSecret
    ? await createProjectsStore({ db: on }).findAgentSignIn(project.id)
    : null;
  const sealed = setting?.secretSealed ?? null;
  if (sealed !== null) {
    const open = () => vault.open(sealed, clientSecretContext(project.id));
    secrets.set('agentSignIn.openid.clientSecret', options.withSecrets ? openOrElse(open, '') : '');
  }
  return {
    kind: 'project',
    name: project.name,
    id: project.id,
    fields: fieldsOfProject(project, names),
    secrets,
    version: project.version,
  };
}

/** Who is invited counts as who is a member: a file is done with somebody whom it has invited. */
async function readMembers(on: Db, projectId: string): Promise<CurrentObject[]> {
  const window = { projectId, beforeId: undefined, limit: MANY };
  const members = await createMembersStore({ db: on }).list({ ...window, operatorId: undefined });
  const invitations = await createInvitationsStore({ db: on }).list(window);
  const objects = new Map<string, CurrentObject>();
  const add = (id: string, email: string, role: string) => {
    const name = email.toLowerCase();
    if (!objects.has(name))
      objects.set(name, { kind: 'member', name, id, fields: { role }, secrets: NO_SECRETS, version: 0 });
  };
  for (const { id, email, role } of members) add(`operator:${id}`, email, role);
  for (const { id, email, role } of invitations) add(`invitation:${id}`, email, role);
  return [...objects.values()];
}
