import { HttpError, type InputFault } from '../http/errors.ts';
import { parsePart } from '../http/request-input.ts';
import type { ConfigurationDocument, DocumentSchema } from './document.schema.ts';
import type { Fields, ObjectKind, WantedObject } from './objects.ts';
import { SECTIONS } from './objects.ts';
import type { Reference } from './references.ts';
import type { MergedSource, Step } from './source.ts';
import { substitute } from './substitution.ts';
import { type FindProvider, wantIntegration } from './wanted-integration.ts';
import { wantAgentSecret, wantDestination } from './wanted-secrets.ts';

export type WantedState = {
  readonly objects: readonly WantedObject[];
  readonly kinds: readonly ObjectKind[];
  /** The values of the caller, for keeping them out of answers. */
  readonly values: readonly string[];
};

/** The providers that a file may name, and what is wrong with those that it describes. */
export type DescribeProviders = (document: ConfigurationDocument) => Promise<{
  readonly findProvider: FindProvider;
  readonly faults: readonly { readonly path: readonly Step[]; readonly reason: string }[];
}>;

type Wanting = {
  readonly source: MergedSource;
  readonly secrets: ReadonlyMap<Reference, string>;
  readonly references: ReadonlyMap<string, Reference>;
};

/** Checks a file and reads what it wants, with every fault at its place. Throws `invalid_request`. */
export async function readWanted(
  source: MergedSource,
  given: {
    readonly schema: DocumentSchema;
    readonly secrets: ReadonlyMap<Reference, string>;
    readonly withMembers: boolean;
    readonly describeProviders: DescribeProviders;
  },
): Promise<WantedState> {
  const { value, references, faults } = substitute(source, given.secrets);
  refuse(faults);
  const document = parseDocument(source, given.schema, value);
  const wanting: Wanting = { source, secrets: given.secrets, references };
  const objects: WantedObject[] = [wantProject(wanting, document), ...listPlain(wanting, document)];
  const found: InputFault[] = [...repeatedNames(source, document)];
  const { findProvider, faults: ofProviders } = await given.describeProviders(document);
  found.push(...ofProviders.map(({ path, reason }) => source.faultAt(path, reason)));
  for (const [index, one] of document.integrations.entries()) {
    const place = ['integrations', index];
    const wanted = await wantIntegration({ ...wanting, findProvider }, one, place);
    found.push(...wanted.faults);
    const refs = { ...referencesAt(wanting, place), ...wanted.references };
    objects.push({ ...base('integration', one, place), ...wanted, references: refs });
  }
  refuse(found);
  const hasMembers = given.withMembers && document.members !== undefined;
  const kinds: ObjectKind[] = ['customProvider', 'mandate', 'project', 'integration', 'poll', 'destination'];
  return {
    objects: objects.filter(({ kind }) => kind !== 'member' || hasMembers),
    kinds: hasMembers ? [...kinds, 'member'] : kinds,
    values: [...given.secrets.values()],
  };
}

function refuse(faults: readonly InputFault[]): void {
  if (faults.length > 0)
    throw new HttpError('invalid_request', { detail: 'The file has faults.', errors: faults });
}

/** The faults of a schema stand under `body`; theirs is the file. */
function parseDocument(source: MergedSource, schema: DocumentSchema, value: unknown): ConfigurationDocument {
  try {
    return parsePart('body', schema, value);
  } catch (error) {
    if (!(error instanceof HttpError) || error.errors === undefined) throw error;
    const faults = error.errors.map(({ path, message }) => source.faultAt(readSteps(path), message));
    throw new HttpError('invalid_request', { detail: 'The file has faults.', errors: faults });
  }
}

/** The steps behind `body` of a fault's path. */
export function readSteps(path: string): Step[] {
  return path
    .split('.')
    .slice(1)
    .map((step) => (/^\d+$/.test(step) ? Number(step) : step));
}

function base(
  kind: ObjectKind,
  object: { readonly name?: string | undefined; readonly formerName?: string | undefined },
  place: readonly Step[],
) {
  const { name = '', formerName } = object;
  return { kind, name, formerName, place };
}

function referencesAt({ references }: Wanting, place: readonly Step[]): Record<string, Reference> {
  const start = `${place.join('.')}.`;
  const within = [...references].filter(([path]) => path.startsWith(start));
  return Object.fromEntries(within.map(([path, reference]) => [path.slice(start.length), reference]));
}

function wantProject(wanting: Wanting, { project }: ConfigurationDocument): WantedObject {
  const place = ['project'];
  const { agentSignIn, ...rest } = project;
  const fields: Record<string, unknown> = { ...rest };
  const secret = wantAgentSecret(wanting.secrets, agentSignIn);
  if (agentSignIn !== undefined) fields.agentSignIn = agentSignIn && secret.setting;
  return {
    ...base('project', { name: project.name }, place),
    fields,
    references: { ...referencesAt(wanting, place), ...secret.references },
    secrets: secret.secrets,
  };
}

/** Objects that are made of their own fields alone, in the form of the rows that they are compared with. */
function listPlain(wanting: Wanting, document: ConfigurationDocument): WantedObject[] {
  const plain = (
    kind: ObjectKind,
    index: number,
    names: { readonly name: string; readonly formerName?: string | undefined },
    fields: Fields,
  ): WantedObject => {
    const place = [SECTIONS[kind], index];
    return {
      ...base(kind, names, place),
      fields,
      references: referencesAt(wanting, place),
      secrets: new Map(),
    };
  };
  return [
    ...document.customProviders.map(({ definition, ...names }, index) => {
      const { id: _id, ...described } = definition;
      return plain('customProvider', index, names, { definition: described });
    }),
    ...document.mandates.map(({ formerName, ...fields }, index) =>
      plain('mandate', index, { name: fields.name, formerName }, fields),
    ),
    ...document.polls.map(({ name, formerName, ...poll }, index) =>
      plain('poll', index, { name, formerName }, fieldsOfWantedPoll(poll)),
    ),
    ...document.destinations.map(({ name, formerName, ...given }, index) => {
      const { fields, references, secrets } = wantDestination(wanting.secrets, given);
      const wanted = plain('destination', index, { name, formerName }, fields);
      return { ...wanted, references: { ...wanted.references, ...references }, secrets };
    }),
    ...(document.members ?? []).map(({ email, role }, index) =>
      plain('member', index, { name: email }, { role }),
    ),
  ];
}

function fieldsOfWantedPoll(
  poll: Omit<ConfigurationDocument['polls'][number], 'name' | 'formerName'>,
): Fields {
  const { resource = null, custom = null, fields = [], parameters = {}, ...rest } = poll;
  return { ...rest, resource, custom, fields, parameters };
}

function* repeatedNames(source: MergedSource, document: ConfigurationDocument): Generator<InputFault> {
  const { customProviders, mandates, integrations, polls, destinations, members = [] } = document;
  const named = { customProviders, mandates, integrations, polls, destinations };
  const lists = {
    ...Object.fromEntries(Object.entries(named).map(([list, all]) => [list, all.map(({ name }) => name)])),
    members: members.map(({ email }) => email),
  };
  for (const [list, names] of Object.entries(lists))
    for (const [index, name] of names.entries())
      if (names.indexOf(name) !== index)
        yield source.faultAt(
          [list, index, list === 'members' ? 'email' : 'name'],
          'An earlier one has this name',
        );
}
