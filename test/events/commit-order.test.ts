/**
 * A model of writers that append to one feed and of a reader that pages through it, explored in every order of their
 * steps. It shows why positions are given under a lock that is held until the commit: with a sequence, which gives them
 * without one, the same exploration finds a reader that skips an event.
 */
type Writer = { readonly step: 'ready' | 'placed' | 'done'; readonly position: number };
type State = {
  readonly writers: readonly Writer[];
  /** The writer whose transaction holds the head; -1 while no one does. */
  readonly holder: number;
  readonly given: number;
  readonly committed: readonly number[];
  readonly cursor: number;
  readonly seen: readonly number[];
};

const WRITERS = 3;
const START: State = {
  writers: Array.from({ length: WRITERS }, () => ({ step: 'ready', position: 0 })),
  holder: -1,
  given: 0,
  committed: [],
  cursor: 0,
  seen: [],
};

/** Every state that can follow: a writer takes a position, commits or rolls back, or the reader reads one page. */
function nextStates(state: State, isLocked: boolean): State[] {
  const next: State[] = [];
  const put = (index: number, writer: Writer, rest: Partial<State>) =>
    next.push({ ...state, ...rest, writers: state.writers.with(index, writer) });
  for (const [index, writer] of state.writers.entries()) {
    if (writer.step === 'ready' && (!isLocked || state.holder === -1)) {
      const position = state.given + 1;
      put(index, { step: 'placed', position }, { holder: index, given: position });
    } else if (writer.step === 'placed') {
      const done: Writer = { ...writer, step: 'done' };
      put(index, done, { holder: -1, committed: [...state.committed, writer.position] });
      // A head that is rolled back takes its position back with it; a sequence does not.
      put(index, done, { holder: -1, ...(isLocked && { given: state.given - 1 }) });
    }
  }
  const [page] = state.committed.filter((position) => position > state.cursor).toSorted((a, b) => a - b);
  if (page !== undefined) next.push({ ...state, cursor: page, seen: [...state.seen, page] });
  return next;
}

/** The committed positions that a reader who has read everything never saw, over all orders of steps. */
function findSkipped(isLocked: boolean): { skipped: number; states: number } {
  const known = new Set<string>();
  const open: State[] = [START];
  let skipped = 0;
  for (let state = open.pop(); state !== undefined; state = open.pop()) {
    const key = JSON.stringify(state);
    if (known.has(key)) continue;
    known.add(key);
    const { seen, committed, cursor } = state;
    skipped += committed.filter((position) => position <= cursor && !seen.includes(position)).length;
    open.push(...nextStates(state, isLocked));
  }
  return { skipped, states: known.size };
}

describe('a reader of the feed', () => {
  it('skips no event in any order of steps of three writers', () => {
    const { skipped, states } = findSkipped(true);
    expect(skipped).toBe(0);
    expect(states).toBeGreaterThan(100);
  });

  it('would skip some if positions were given without a lock', () => {
    expect(findSkipped(false).skipped).toBeGreaterThan(0);
  });
});
