import type { Call } from './call-parts.tsx';
import type { Activity, TailEvent } from './event-stream.ts';

/** More would make the page slow; what is older is in the list below. */
const ENTRIES_MAX = 200;

export type TailEntry =
  | { readonly kind: 'call'; readonly id: string; readonly call: Call }
  | { readonly kind: 'activity'; readonly id: string; readonly activity: Activity };

export type TailState = {
  readonly phase: 'off' | 'connecting' | 'live' | 'ended';
  readonly isPaused: boolean;
  /** Newest first. */
  readonly entries: readonly TailEntry[];
  /** What came while it is paused. */
  readonly held: readonly TailEntry[];
  readonly dropped: number;
  readonly ending: 'time' | 'shutting_down' | 'access_ended' | 'lost' | null;
};

export const EMPTY_TAIL: TailState = {
  phase: 'off',
  isPaused: false,
  entries: [],
  held: [],
  dropped: 0,
  ending: null,
};

type TailAction = TailEvent | { readonly kind: 'connect' | 'stop' | 'pause' };

/** The tail after an event or a button. What was shown stays when another five minutes begin. */
export function reduceTail(state: TailState, action: TailAction): TailState {
  switch (action.kind) {
    case 'connect':
      return { ...state, phase: 'connecting', ending: null };
    case 'stop':
      return EMPTY_TAIL;
    case 'pause':
      return state.isPaused
        ? { ...state, isPaused: false, entries: newest(state.held, state.entries), held: [] }
        : { ...state, isPaused: true };
    case 'begin':
      return { ...state, phase: 'live' };
    case 'call':
      return add(state, { kind: 'call', id: action.call.requestId, call: action.call });
    case 'activity':
      return add(state, { kind: 'activity', id: action.activity.id, activity: action.activity });
    case 'dropped':
      return { ...state, dropped: state.dropped + action.calls };
    case 'end':
      return { ...state, phase: 'ended', ending: endingOf(action.reason) };
    case 'lost':
      return { ...state, phase: 'ended', ending: 'lost' };
  }
}

function add(state: TailState, entry: TailEntry): TailState {
  const isShown = [...state.held, ...state.entries].some(({ id }) => id === entry.id);
  if (isShown) return state;
  return state.isPaused
    ? { ...state, held: newest([entry], state.held) }
    : { ...state, entries: newest([entry], state.entries) };
}

function newest(added: readonly TailEntry[], before: readonly TailEntry[]): readonly TailEntry[] {
  return [...added, ...before].slice(0, ENTRIES_MAX);
}

function endingOf(reason: string): TailState['ending'] {
  return reason === 'time' || reason === 'shutting_down' || reason === 'access_ended' ? reason : 'lost';
}
