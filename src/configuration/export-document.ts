import { isRecord } from '../lib/is-record.ts';
import { writeCurrent } from './masking.ts';
import type { CurrentObject, CurrentState, Fields, ObjectKind } from './objects.ts';
import { SECTIONS } from './objects.ts';
import { findManaged } from './plan.ts';
import { type Reference, writeLiteral, writeReference } from './references.ts';

/** What each kind has where nothing is said, which a file need not repeat. */
const USUAL: Readonly<Record<ObjectKind, Fields>> = {
  customProvider: {},
  mandate: { state: 'active' },
  project: {},
  integration: {
    displayName: null,
    authMethod: null,
    clientId: null,
    scopes: [],
    optionalScopes: [],
    variables: {},
    settings: {},
    disabled: null,
  },
  poll: {
    resource: null,
    custom: null,
    fields: [],
    parameters: {},
    backfill: 'none',
    deletes: 'none',
    scanIntervalSeconds: 86_400,
    paused: false,
  },
  destination: {
    connectionIds: null,
    tags: {},
    description: null,
    ordered: 'none',
    format: 'standard',
  },
  member: {},
};

/** The state as the file that makes it, with references in the place of secrets. */
export function exportDocument(state: CurrentState, kinds: readonly ObjectKind[]): Record<string, unknown> {
  const document: Record<string, unknown> = { version: 1 };
  const suggest = createSuggestions(state);
  const project = state.objects.find(({ kind }) => kind === 'project');
  if (project !== undefined) document.project = describe(state, project, suggest);
  for (const kind of kinds) {
    const objects = state.objects.filter((object) => object.kind === kind);
    if (kind === 'project' || objects.length === 0) continue;
    document[SECTIONS[kind]] = objects
      .toSorted((one, other) => (one.name < other.name ? -1 : 1))
      .map((object) =>
        kind === 'member'
          ? { email: writeLiteral(object.name), ...describe(state, object, suggest) }
          : { name: writeLiteral(object.name), ...describe(state, object, suggest) },
      );
  }
  return document;
}

type Suggest = (object: CurrentObject, path: string) => Reference;

function describe(state: CurrentState, object: CurrentObject, suggest: Suggest): Record<string, unknown> {
  const managed = findManaged(state, object);
  const fields = Object.entries(writeCurrent(object, managed)).filter(
    ([name, value]) => !isUsual(object.kind, name, value) && !isOwnName(object.kind, name),
  );
  const described: Record<string, unknown> = Object.fromEntries(fields);
  for (const path of object.secrets.keys())
    put(described, path.split('.'), writeReference(managed?.references[path] ?? suggest(object, path)));
  return described;
}

/** The name of a mandate is the one that it has in the file. */
function isOwnName(kind: ObjectKind, member: string): boolean {
  return kind === 'mandate' && member === 'name';
}

function isUsual(kind: ObjectKind, name: string, value: unknown): boolean {
  const usual = USUAL[kind];
  return Object.hasOwn(usual, name) && JSON.stringify(usual[name]) === JSON.stringify(value);
}

function put(root: Record<string, unknown>, [step = '', ...rest]: readonly string[], value: string): void {
  if (rest.length === 0) {
    root[step] = value;
    return;
  }
  const existing = root[step];
  const inner = isRecord(existing) ? { ...existing } : {};
  root[step] = inner;
  put(inner, rest, value);
}

/** Names for variables of the environment that say whose secret it is, each once. */
function createSuggestions({ managed }: CurrentState): Suggest {
  const used = new Set(managed.flatMap(({ references }) => Object.values(references)));
  return (object, path) => {
    const wish = suggestReference(object, path);
    let reference = wish;
    for (let count = 2; used.has(reference); count += 1) reference = `${wish}_${count}`;
    used.add(reference);
    return reference;
  };
}

/** A principal that may make an integration chooses words of the name: none is a variable that is set for something else. */
const SUGGESTED = 'SECRET_OF_';

function suggestReference({ kind, name }: CurrentObject, path: string): Reference {
  const owner = kind === 'project' ? '' : `${name}_`;
  const words = `${owner}${path.replace(/^variables\./, '')}`
    .replaceAll(/([a-z])([A-Z])/g, '$1_$2')
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, '_');
  return `env:${SUGGESTED}${words}`;
}
