import type { MandatedCall } from './call.ts';
import { type Effect, judgeEffect } from './effect.ts';
import type { MandateEntry } from './mandate.schema.ts';
import { findMethodOverride, judgeForm, NEEDS_BODY } from './overrides.ts';
import { foldPath, normalizePath } from './paths.ts';
import { type CompiledPaths, compilePaths, foldedPatternsFor, matchesAny } from './patterns.ts';
import { findSecondPath } from './second-paths.ts';

export type MandateDecision =
  /** `entry` is the index of the entry that allows the call, `approval` what a person has to say first. */
  | { readonly isAllowed: true; readonly entry: number; readonly approval: MandateEntry['approval'] }
  /**
   * `reason` completes "refused: …", in the words of this table alone. `needsBody`: with its body, which has not been read,
   * the call may turn out to be allowed. `usedUp`: the first entry that would allow it, had it calls left.
   */
  | {
      readonly isAllowed: false;
      readonly reason: string;
      readonly needsBody?: true;
      readonly usedUp?: number | undefined;
    };

type Allowing = Extract<MandateDecision, { isAllowed: true }>;

type CompiledEntry = CompiledPaths & {
  readonly provider: string;
  readonly connectionId: string | undefined;
  readonly hosts: readonly string[] | undefined;
  readonly isWrite: boolean;
  readonly methods: readonly string[] | undefined;
  /** There is a method that changes something and that it does not name. */
  readonly isBoundToMethods: boolean;
  readonly approval: MandateEntry['approval'];
};

export type Mandate = {
  /**
   * The entry that allows the call, of those that `isLeft` says have calls left. `reading` is for callers that ask several
   * mandates.
   */
  decide(call: MandatedCall, isLeft?: (entry: number) => boolean, reading?: CallReading): MandateDecision;
  /** For each entry why it does not allow the call; undefined: it does. */
  explain(call: MandatedCall): readonly (string | undefined)[];
};

/** What an override makes of a POST. */
const OVERRIDING = ['PUT', 'PATCH', 'DELETE'] as const;

/** In the place of a reason: it depends on the body. */
const NEEDED: MandateDecision = { isAllowed: false, reason: NEEDS_BODY, needsBody: true };

/**
 * The rule of one token (docs/mandates.md). Entries only allow: what none allows is refused, and of those that allow a call
 * the one that asks for the least counts: no approval before `once`, `once` before `each`. Nothing here waits or
 * looks anything up, so that every door can ask before it sends.
 */
export function compileMandate(entries: readonly MandateEntry[]): Mandate {
  const compiled = entries.map(compileEntry);
  return {
    decide(call, isLeft = isAlwaysLeft, request = new CallReading(call)) {
      if (request.overriding !== undefined) return refuse(describeOverride(request.overriding));
      let reason = `no entry is for ${call.provider}`;
      let asking: Allowing | undefined;
      let usedUp: number | undefined;
      for (let index = 0; index < compiled.length; index += 1) {
        const entry = compiled[index];
        if (entry?.provider !== call.provider) continue;
        const { approval } = entry;
        const refusal = findRefusal(entry, call, request);
        if (refusal === NEEDS_BODY) return NEEDED;
        if (refusal !== undefined) reason = refusal;
        else if (!isLeft(index)) usedUp ??= index;
        else if (approval === 'none') return { isAllowed: true, entry: index, approval };
        else if (asking === undefined || approval === 'once')
          asking = asking?.approval === 'once' ? asking : { isAllowed: true, entry: index, approval };
      }
      return asking ?? { isAllowed: false, reason, usedUp };
    },

    explain(call) {
      const request = new CallReading(call);
      const { overriding } = request;
      if (overriding !== undefined) return compiled.map(() => describeOverride(overriding));
      return compiled.map((entry) =>
        entry.provider === call.provider
          ? findRefusal(entry, call, request)
          : `the entry is for ${entry.provider}`,
      );
    },
  };
}

const isAlwaysLeft = (): boolean => true;

function refuse(reason: string): MandateDecision {
  return { isAllowed: false, reason };
}

function describeOverride(name: string): string {
  return `${name} may name another method`;
}

/** What entries ask of a call; what costs more is found out when the first of them asks. */
export class CallReading {
  /** The field or parameter that may name another method. */
  readonly overriding: string | undefined;
  readonly path: string;
  readonly folded: string;
  readonly isBatch: boolean;
  readonly #call: MandatedCall;
  #effect: Effect | undefined;
  #override: string | false | undefined;
  #secondPath: string | false | undefined;

  constructor(call: MandatedCall) {
    this.#call = call;
    this.overriding = findMethodOverride(call.rawHeaders, call.rawQuery, call.facts?.overrides);
    this.path = normalizePath(call.rawPath);
    this.folded = foldPath(this.path);
    this.isBatch = matchesAny(foldedPatternsFor(call.facts?.batch), this.folded);
  }

  get effect(): Effect {
    this.#effect ??= judgeEffect(this.#call, this.path, this.folded);
    return this.#effect;
  }

  /** The field that names another path; false: none does. Providers ignore it in a GET or HEAD. */
  get secondPath(): string | false {
    const { method, rawHeaders } = this.#call;
    const isIgnored = method === 'GET' || method === 'HEAD';
    this.#secondPath ??= (!isIgnored && findSecondPath(rawHeaders)) || false;
    return this.#secondPath;
  }

  /** Why a form may be taken for a request of another method; false: it may not. */
  get override(): string | false {
    this.#override ??= judgeForm(this.#call);
    return this.#override;
  }
}

function findRefusal(entry: CompiledEntry, call: MandatedCall, request: CallReading): string | undefined {
  if (entry.connectionId !== undefined && entry.connectionId !== call.connectionId)
    return 'the mandate names another connection';
  if (entry.hosts !== undefined && !entry.hosts.includes(call.host ?? 'api'))
    return 'the mandate does not name this host';
  if (entry.methods !== undefined && !entry.methods.includes(call.method))
    return 'the mandate does not name this method';
  if (entry.patterns !== undefined && !matchesAny(entry.patterns, request.path))
    return 'the mandate does not name this path';
  if (entry.patterns !== undefined && request.secondPath !== false)
    return `${request.secondPath} names another path, and the mandate is for some alone`;
  if (request.isBatch && !entry.fullPaths.has(request.folded))
    return 'a batch carries other requests inside, and the mandate does not name its path in full';
  if (!entry.isWrite && request.effect.kind !== 'reads') return describeChange(request.effect);
  if (entry.isWrite && mayBeExceeded(entry, call) && request.override !== false) return request.override;
  return undefined;
}

/** Whether a body that names another method could do what the entry does not allow; a provider's own parameters carry whole requests too. */
function mayBeExceeded({ isBoundToMethods, patterns }: CompiledEntry, { facts }: MandatedCall): boolean {
  return isBoundToMethods || (patterns !== undefined && (facts?.overrides?.length ?? 0) > 0);
}

function describeChange(effect: Effect): string {
  if (effect.kind === 'unknown') return NEEDS_BODY;
  const why = effect.kind === 'changes' ? effect.why : undefined;
  return why === undefined
    ? 'the mandate allows reading alone'
    : `the mandate allows reading alone, and ${why}`;
}

function compileEntry(entry: MandateEntry): CompiledEntry {
  return {
    provider: entry.provider,
    connectionId: entry.connectionId?.toLowerCase(),
    hosts: entry.hosts,
    isWrite: entry.access === 'write',
    methods: entry.methods,
    isBoundToMethods: OVERRIDING.some((method) => entry.methods?.includes(method) === false),
    ...compilePaths(entry.paths),
    approval: entry.approval,
  };
}
