import { HttpError, type InputFault } from '../http/errors.ts';
import { assertHarmless } from '../http/json-body.ts';
import { isRecord } from '../lib/is-record.ts';
import { applyOverlay, nameOfItem } from './overlays.ts';
import { findExcess, type Place, type ReadDocument } from './yaml/read-document.ts';
import { type ReadYaml, YamlBusyError } from './yaml/yaml-threads.ts';

export type Step = string | number;

/** A file or an overlay as it came, with the places of its values where it came as text. */
type Source = {
  readonly label: string;
  readonly value: unknown;
  readonly places: ReadonlyMap<string, Place>;
};

/** The file with its overlays laid over it. */
export type MergedSource = {
  readonly value: unknown;
  /** A fault as its reader finds it: in which file, and where it came as text, in which line and column. */
  faultAt(path: readonly Step[], message: string): InputFault;
};

/** Reads the file and its overlays, each of which is an object or a text in YAML. Throws `invalid_request`. */
export async function readSource(
  readYaml: ReadYaml,
  projectId: string,
  given: { readonly configuration: unknown; readonly overlays: readonly unknown[] },
): Promise<MergedSource> {
  const sources: Source[] = [await readOne(readYaml, projectId, 'configuration', given.configuration)];
  for (const [index, overlay] of given.overlays.entries())
    sources.push(await readOne(readYaml, projectId, `overlays.${index}`, overlay));
  const value = sources.map((source) => source.value).reduce(applyOverlay);
  let left = LOCATED_MAX;
  return {
    value,
    faultAt(path, message) {
      left -= 1;
      return left < 0 ? { path: 'configuration', message } : locate(sources, value, path, message);
    },
  };
}

/** More faults than any answer shows: each is looked for in every source, and a file may have thousands. */
const LOCATED_MAX = 200;

async function readOne(
  readYaml: ReadYaml,
  projectId: string,
  label: string,
  given: unknown,
): Promise<Source> {
  if (typeof given !== 'string') {
    const excess = findExcess(given);
    if (excess === undefined) return { label, value: given, places: new Map() };
    throw refuseFile([{ path: label, message: excess }]);
  }
  const read = await readYaml(projectId, given).catch((error: unknown): ReadDocument => {
    if (error instanceof YamlBusyError) return { ok: false, faults: [{ message: `${error.message}` }] };
    throw error;
  });
  if (!read.ok) throw refuseFile(read.faults.map((fault) => ({ path: label, ...fault })));
  assertHarmless(read.value);
  return { label, value: read.value, places: read.places };
}

function refuseFile(errors: readonly InputFault[]): HttpError {
  return new HttpError('invalid_request', { detail: 'The file cannot be read.', errors });
}

/** The place in the last source that says something there; objects of lists are found by their names. */
function locate(
  sources: readonly Source[],
  merged: unknown,
  path: readonly Step[],
  message: string,
): InputFault {
  const steps = nameSteps(merged, path);
  const found = sources.map((source) => ({ source, ...followSteps(source.value, steps) }));
  const deepest = Math.max(...found.map(({ path: walked }) => walked.length));
  const best = found.findLast(({ path: walked }) => walked.length === deepest);
  const { label = 'configuration', places } = best?.source ?? {};
  const place = placeOf(places, best?.path ?? []);
  return {
    path: [label, ...(sources.length > 1 ? (best?.path ?? path) : path)].join('.'),
    message,
    ...place,
  };
}

type NamedStep = { readonly step: Step; readonly name: string | undefined };

function nameSteps(root: unknown, path: readonly Step[]): NamedStep[] {
  let value = root;
  return path.map((step) => {
    value = memberOf(value, step);
    return { step, name: typeof step === 'number' ? nameOfItem(value) : undefined };
  });
}

function followSteps(root: unknown, steps: readonly NamedStep[]): { readonly path: Step[] } {
  let value = root;
  const path: Step[] = [];
  for (const { step, name } of steps) {
    const index =
      name !== undefined && Array.isArray(value)
        ? value.findIndex((item) => nameOfItem(item) === name)
        : step;
    const next = memberOf(value, index);
    if (next === undefined) break;
    path.push(index);
    value = next;
  }
  return { path };
}

function memberOf(value: unknown, step: Step): unknown {
  if (Array.isArray(value)) return typeof step === 'number' ? value[step] : undefined;
  return isRecord(value) && Object.hasOwn(value, step) ? value[step] : undefined;
}

function placeOf(places: ReadonlyMap<string, Place> | undefined, path: readonly Step[]): Place | undefined {
  for (let length = path.length; length >= 0; length -= 1) {
    const place = places?.get(path.slice(0, length).join('.'));
    if (place !== undefined) return place;
  }
  return undefined;
}
