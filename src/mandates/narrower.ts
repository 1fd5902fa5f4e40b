import type { MandateEntry } from './mandate.schema.ts';
import type { PathPattern } from './paths.ts';
import { type CompiledPaths, compilePaths, foldedPatternsFor, matchesAny } from './patterns.ts';

/** Paths that a provider's file lists under `batch`. */
export type BatchPaths = (provider: string) => readonly string[] | undefined;

const APPROVALS = ['none', 'once', 'each'];

/** An entry with its paths taken apart once, however many it is compared with. */
type Compared = CompiledPaths & { readonly entry: MandateEntry };

/**
 * For each entry of `child` the index of an entry of `parent` that allows all that it allows; -1 where there is none. An entry
 * has to lie within one other: that two together would do is not looked for.
 */
export function findCovers(
  child: readonly MandateEntry[],
  parent: readonly MandateEntry[],
  batchOf: BatchPaths,
): readonly number[] {
  const others = parent.map(prepare);
  return child
    .map(prepare)
    .map((own) => others.findIndex((other) => isWithin(own, other, batchOf(own.entry.provider))));
}

function prepare(entry: MandateEntry): Compared {
  return { entry, ...compilePaths(entry.paths) };
}

/** Whether `parent` allows whatever `child` allows. */
export function isNarrower(
  child: readonly MandateEntry[],
  parent: readonly MandateEntry[],
  batchOf: BatchPaths,
): boolean {
  return findCovers(child, parent, batchOf).every((index) => index !== -1);
}

function isWithin(own: Compared, other: Compared, batch: readonly string[] | undefined): boolean {
  const [child, parent] = [own.entry, other.entry];
  return (
    child.provider === parent.provider &&
    (parent.connectionId === undefined ||
      child.connectionId?.toLowerCase() === parent.connectionId.toLowerCase()) &&
    (child.access === 'read' || parent.access === 'write') &&
    isPart(child.hosts, parent.hosts) &&
    isPart(child.methods, parent.methods) &&
    APPROVALS.indexOf(child.approval) >= APPROVALS.indexOf(parent.approval) &&
    (parent.perHour === undefined || (child.perHour !== undefined && child.perHour <= parent.perHour)) &&
    arePathsWithin(own, other, batch)
  );
}

/** A list that is left out stands for everything. */
function isPart(child: readonly string[] | undefined, parent: readonly string[] | undefined): boolean {
  return parent === undefined || (child?.every((one) => parent.includes(one)) ?? false);
}

function arePathsWithin(child: Compared, parent: Compared, batch: readonly string[] | undefined): boolean {
  if (child.patterns === undefined) return parent.patterns === undefined;
  const isCovered = (path: PathPattern) =>
    parent.patterns?.some((pattern) => isPatternWithin(path, pattern)) ?? true;
  return child.patterns.every(isCovered) && areBatchesNamed(child, parent, batch);
}

/** A batch is allowed by its full name alone, which the parent has to have as well. */
function areBatchesNamed(child: Compared, parent: Compared, batch: readonly string[] | undefined): boolean {
  return [...child.fullPaths].every(
    (path) => parent.fullPaths.has(path) || !matchesAny(foldedPatternsFor(batch), path),
  );
}

/** Whether every path that the one pattern matches is matched by the other. */
function isPatternWithin(child: PathPattern, parent: PathPattern): boolean {
  if (child.segments.length < parent.segments.length) return false;
  if (!parent.isOpen && (child.isOpen || child.segments.length > parent.segments.length)) return false;
  return parent.segments.every((segment, index) => {
    const own = child.segments[index] ?? '';
    return segment === '*' ? own !== '' : own === segment;
  });
}
