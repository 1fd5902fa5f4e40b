import { listReferences, readLiteral } from '../../src/configuration/references.ts';
import type { Step } from '../../src/configuration/source.ts';
import { isRecord } from '../../src/lib/is-record.ts';
import { ApiError, type ConfigurationApi, type Drift, type Planned } from './api.ts';
import type { OpenedFile } from './open-file.ts';
import { readProjectName } from './project-name.ts';

/** Something is wrong with what the command was called with; the message says all. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** One project of a file. */
export type Target = {
  readonly name: string;
  plan(): Promise<Planned>;
  apply(stateHash: string): Promise<unknown>;
  drift(): Promise<Drift>;
};

/** What a project that does not exist yet has; an apply makes it first. */
const NO_STATE = 'new';

/** The projects that a file is about: one, or those of its list. */
export async function findTargets(
  api: ConfigurationApi,
  opened: OpenedFile,
  chosen: string | undefined,
): Promise<Target[]> {
  const { value } = opened.source;
  if (!isRecord(value) || !Array.isArray(value.projects)) {
    const name = readProjectName(opened.secrets, value);
    const known = await api.listProjects(chosen);
    const isKnown = known.some((project) => project.name === name || known.length === 1);
    if (chosen === undefined && name !== undefined && !isKnown) return [ofNew(api, opened, name, value, [])];
    const byName = known.length > 1 ? name : undefined;
    return [ofExisting(api, opened, await api.findProject(chosen ?? byName, known), value, [])];
  }
  const listed = value.projects.map((project, index) => ({
    project,
    name: readProjectName(opened.secrets, project),
    index,
  }));
  const known = await api.listProjects(chosen);
  const targets = listed.flatMap(({ project, name, index }) => {
    if (name === undefined)
      throw new UsageError(`projects.${index}.project.name: needed, to find the project`);
    const found = known.find((one) => one.name === name);
    if (chosen !== undefined && chosen !== name && chosen !== found?.id) return [];
    const path = ['projects', index];
    return [found ? ofExisting(api, opened, found, project, path) : ofNew(api, opened, name, project, path)];
  });
  if (targets.length === 0) throw new UsageError(`The file has no project ${chosen}.`);
  return targets;
}

function ofExisting(
  api: ConfigurationApi,
  opened: OpenedFile,
  { id, name }: { readonly id: string; readonly name: string },
  configuration: unknown,
  path: readonly Step[],
): Target {
  const given = { configuration, secrets: secretsOf(opened, configuration) };
  const explained = <Result>(work: Promise<Result>) => explainFaults(work, opened, path);
  return {
    name,
    plan: () => explained(api.plan(id, given)),
    apply: (stateHash) => explained(api.apply(id, { ...given, stateHash })),
    drift: () => explained(api.drift(id, given)),
  };
}

/** The values of other projects are none of this one's business. */
function secretsOf({ secrets }: OpenedFile, configuration: unknown): Record<string, string> {
  const wanted = new Set(listReferences(configuration));
  return Object.fromEntries(Object.entries(secrets).filter(([reference]) => wanted.has(reference)));
}

function ofNew(
  api: ConfigurationApi,
  opened: OpenedFile,
  name: string,
  configuration: unknown,
  path: readonly Step[],
): Target {
  const create = { action: 'create' as const, type: 'project' as const, name, fields: [] };
  return {
    name,
    plan: async () => ({
      stateHash: NO_STATE,
      changes: [create, ...listObjects(configuration)],
      summary: { create: 1 + listObjects(configuration).length, update: 0, delete: 0 },
      adopted: [],
      unmanaged: [],
      unverifiedSecrets: [],
    }),
    async apply() {
      const made = ofExisting(api, opened, await api.createProject(name), configuration, path);
      return made.apply((await made.plan()).stateHash);
    },
    drift: () => Promise.reject(new UsageError(`There is no project ${name}.`)),
  };
}

const SECTIONS = {
  customProviders: 'customProvider',
  mandates: 'mandate',
  integrations: 'integration',
  polls: 'poll',
  destinations: 'destination',
  members: 'member',
} as const;

function listObjects(configuration: unknown): Planned['changes'] {
  return Object.entries(SECTIONS).flatMap(([section, type]) => {
    const list: unknown = isRecord(configuration) ? configuration[section] : undefined;
    const objects: readonly unknown[] = Array.isArray(list) ? list : [];
    return objects.map((object) => ({
      action: 'create' as const,
      type,
      name: readLiteral(String(isRecord(object) ? (object.name ?? object.email) : '')),
      fields: [],
    }));
  });
}

/** The gateway got an object: here is where its faults stand in the files. */
async function explainFaults<Result>(
  work: Promise<Result>,
  { source, describe }: OpenedFile,
  path: readonly Step[],
): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof ApiError) || error.faults.length === 0) throw error;
    const faults = error.faults.map((fault) => {
      const steps = fault.path.split('.').slice(1);
      const within = steps.map((step) => (/^\d+$/.test(step) ? Number(step) : step));
      return source.faultAt([...path, ...within], fault.message);
    });
    throw new ApiError(`${error.message}\n${describe(faults)}`);
  }
}
