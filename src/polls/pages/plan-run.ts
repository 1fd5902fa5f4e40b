import type { PollPaging, PollRequest, PollResource } from '../../catalog/schema/provider-polls.schema.ts';
import { formatTimestamp } from '../../lib/timestamps.ts';
import { type FilledRequest, fillRequest, type PollValues } from './fill-request.ts';
import { createPass, type Pass, type Phase, type Progress } from './progress.ts';

export type PollOptions = {
  readonly backfill: 'none' | 'full';
  readonly deletes: 'none' | 'scan';
  readonly scanIntervalMs: number;
  readonly fields: readonly string[];
  readonly parameters: Readonly<Record<string, string>>;
};

const DAY_MS = 86_400_000;

/** The phases of a run that begins now (`nowMs` by the store's clock). */
export function planPhases(
  resource: PollResource,
  options: PollOptions,
  progress: Progress,
  nowMs: number,
): readonly Phase[] {
  if (!progress.isInitialized) return planFirstRun(resource, options);
  const { changes, list, deleted } = resource;
  const isScanDue = progress.scannedAt === null || nowMs - progress.scannedAt >= options.scanIntervalMs;
  const scans = changes === undefined || (options.deletes === 'scan' && list !== undefined && isScanDue);
  return [
    ...(changes ? ([isOutdated(resource, progress, nowMs) ? 'resync' : 'changes'] as const) : []),
    ...(deleted ? (['deleted'] as const) : []),
    ...(scans ? (['scan'] as const) : []),
  ];
}

/** The provider lists changes for so many days only, and the last ones were read before that. */
function isOutdated({ changes }: PollResource, { watermark }: Progress, nowMs: number): boolean {
  if (changes?.by !== 'timestamp' || changes.keptDays === undefined || watermark === null) return false;
  return nowMs - watermark > changes.keptDays * DAY_MS;
}

function planFirstRun({ changes, list }: PollResource, { backfill, deletes }: PollOptions): readonly Phase[] {
  if (changes?.by === 'log') {
    return [
      ...(changes.subscriptions ? (['subscribe'] as const) : []),
      backfill === 'full' ? 'changes' : 'start',
    ];
  }
  const take: readonly Phase[] = changes?.by === 'token' && changes.start ? ['start'] : [];
  if (backfill === 'full') return [...take, 'backfill'];
  const mark: readonly Phase[] = changes?.by === 'timestamp' ? ['mark'] : take;
  const needsBaseline = mark.length === 0 || (deletes === 'scan' && list !== undefined);
  return needsBaseline ? [...mark, 'baseline'] : mark;
}

/** After the provider forgot the cursor. */
export function planResync({ changes }: PollResource): readonly Phase[] {
  if (changes?.by === 'log') return ['changes'];
  return changes?.by === 'token' && changes.start ? ['start', 'resync'] : ['resync'];
}

/** The part of the resource that a phase reads: everything there is comes from `list` where there is one. */
export function chooseSource(resource: PollResource, phase: Phase): 'changes' | 'list' | 'deleted' | 'start' {
  switch (phase) {
    case 'start':
    case 'deleted':
      return phase;
    case 'changes':
    case 'mark':
      return 'changes';
    default:
      return resource.list === undefined ? 'changes' : 'list';
  }
}

/** The pass of a phase that begins, at `nowMs` by the store's clock. */
export function beginPass(resource: PollResource, progress: Progress, phase: Phase, nowMs: number): Pass {
  const source = chooseSource(resource, phase);
  if (source === 'deleted') {
    const { overlapSeconds = 0, keptDays } = resource.deleted ?? {};
    const earliest = keptDays === undefined ? 0 : nowMs - keptDays * DAY_MS + 3_600_000;
    const since = (progress.deletedSince ?? progress.watermark ?? nowMs) - overlapSeconds * 1000;
    return createPass(nowMs, Math.max(since, earliest));
  }
  if (source !== 'changes' || resource.changes?.by !== 'timestamp') return createPass(nowMs, null);
  if (phase === 'mark') return createPass(nowMs, nowMs);
  if (phase !== 'changes' || progress.watermark === null) return createPass(nowMs, 0);
  return createPass(nowMs, Math.max(0, progress.watermark - resource.changes.overlapSeconds * 1000));
}

/** What is to be asked next: a request of the resource, or an address that the provider gave. */
export type PageRequest =
  | { readonly kind: 'request'; readonly request: FilledRequest }
  | { readonly kind: 'link'; readonly link: string; readonly request: FilledRequest };

type RequestInput = {
  readonly resource: PollResource;
  readonly options: PollOptions;
  readonly progress: Progress;
  readonly phase: Phase;
  readonly pass: Pass;
  readonly nowMs: number;
  /** Of the connection, for templates that name them. */
  readonly variables: PollValues;
};

/** The next request of a pass. Undefined where its path names a value that is not known. */
export function planRequest(question: RequestInput): PageRequest | undefined {
  const { resource, progress, phase, pass } = question;
  const request = chooseTemplate(resource, phase, pass, progress.token);
  const filled = request && fillRequest(request, buildValues(question));
  if (filled === undefined) return undefined;
  const link = findLink(resource, progress, phase, pass);
  return link === undefined ? { kind: 'request', request: filled } : { kind: 'link', link, request: filled };
}

function chooseTemplate(
  resource: PollResource,
  phase: Phase,
  pass: Pass,
  token: string | null,
): PollRequest | undefined {
  const { changes } = resource;
  const source = chooseSource(resource, phase);
  if (changes?.by === 'log') {
    if (source === 'start') return changes.latest;
    return token === null ? changes.earliest : changes.request;
  }
  if (source === 'start') return changes?.by === 'token' ? changes.start?.request : undefined;
  if (source !== 'changes') return resource[source]?.request;
  if (changes?.by === 'timestamp' && pass.tieAt !== null) return changes.tie ?? changes.request;
  return changes?.request;
}

function findLink(resource: PollResource, progress: Progress, phase: Phase, pass: Pass): string | undefined {
  const source = chooseSource(resource, phase);
  const paging = findPaging(resource, source)?.by;
  if (pass.page !== null) return paging === 'link' || paging === 'link-header' ? pass.page : undefined;
  const { changes } = resource;
  if (source !== 'changes' || changes?.by !== 'token' || !changes.isLink || phase !== 'changes')
    return undefined;
  return progress.token ?? undefined;
}

/** How the pages of a part follow each other; undefined for what has none, such as a log. */
export function findPaging(
  { changes, list, deleted }: PollResource,
  source: ReturnType<typeof chooseSource>,
): PollPaging | undefined {
  if (source === 'list') return list?.paging;
  if (source === 'deleted') return deleted?.paging;
  return source === 'start' || changes?.by === 'log' ? undefined : changes?.paging;
}

/** What every request of a poll may name. */
export function buildCommonValues({
  resource,
  options,
  progress,
  variables,
}: Pick<RequestInput, 'resource' | 'options' | 'progress' | 'variables'>): PollValues {
  const defaults = Object.entries(resource.parameters).map(([name, parameter]) => [name, parameter.default]);
  return {
    ...variables,
    ...Object.fromEntries(defaults),
    ...options.parameters,
    limit: progress.pageSize ?? resource.pageSize,
    fields: chooseFields(resource, options),
  };
}

function buildValues(question: RequestInput): PollValues {
  const { resource, phase, pass } = question;
  return {
    ...buildCommonValues(question),
    page: formatPage(resource, phase, pass),
    ...buildTimeRange(question),
    cursor: chooseCursor(question),
  };
}

function chooseFields({ fields }: PollResource, options: PollOptions): readonly string[] | undefined {
  const wanted = options.fields.length > 0 ? options.fields : fields;
  return wanted.length > 0 ? wanted : undefined;
}

/** Counted pages are numbers, which some providers insist on. */
function formatPage(resource: PollResource, phase: Phase, { page }: Pass): string | number | undefined {
  const paging = findPaging(resource, chooseSource(resource, phase));
  if (paging?.by === 'offset') return Number(page ?? 0);
  if (paging?.by === 'page') return Number(page ?? paging.first);
  return page ?? undefined;
}

function chooseCursor({ resource, phase, pass, progress }: RequestInput): string | undefined {
  const token = phase === 'changes' ? (progress.token ?? undefined) : undefined;
  if (pass.page === null || resource.changes?.by === 'log') return token;
  const request = chooseTemplate(resource, phase, pass, progress.token);
  return JSON.stringify(request).includes('{page}') ? token : pass.page;
}

function buildTimeRange({ resource, phase, pass, nowMs }: RequestInput): PollValues {
  const { changes, deleted } = resource;
  const source = chooseSource(resource, phase);
  if (source === 'deleted' && deleted !== undefined) {
    const since = pass.since ?? nowMs;
    const until = Math.max(nowMs, since + deleted.spanSecondsMin * 1000);
    return { since: formatTimestamp(since, deleted.format), until: formatTimestamp(until, deleted.format) };
  }
  if (source !== 'changes' || changes?.by !== 'timestamp') return {};
  const { format, unitMs, isExclusive } = changes;
  if (pass.tieAt !== null && changes.tie !== undefined) {
    return {
      at: formatTimestamp(pass.tieAt, format),
      until: formatTimestamp(pass.tieAt + unitMs, format),
      afterId: pass.afterId ?? changes.firstId,
    };
  }
  const since = Math.max(0, (pass.since ?? 0) - (isExclusive ? unitMs : 0));
  return { since: formatTimestamp(since, format), until: formatTimestamp(Math.max(nowMs, since), format) };
}
