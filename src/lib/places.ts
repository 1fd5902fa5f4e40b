export type Places = ReturnType<typeof createPlaces>;

/**
 * Places that parties share. A party may take one more while it holds fewer than are free: alone it gets half of them,
 * beside another that wants as many a third. So one is left for a party that comes, until there are as many parties
 * as places; then the last place goes round.
 */
export function createPlaces(total: number) {
  const held = new Map<string, number>();
  /** Parties that have had the last place in this round. */
  const served = new Set<string>();
  let taken = 0;

  const isFull = (party: string): boolean => (held.get(party) ?? 0) >= total - taken;

  /** The most that one of the parties holds which may take a place. */
  const mostOfOthers = (): number =>
    Math.max(0, ...[...held].flatMap(([party, count]) => (isFull(party) ? [] : [count])));

  return {
    free: (): number => total - taken,

    /** Parties that may not take a place now. */
    excluded(): string[] {
      const full = [...held.keys()].filter(isFull);
      return total - taken === 1 ? [...new Set([...full, ...served])] : full;
    },

    /** Whether the party holds as many as it may. */
    isFull,

    /** How many places may be given at once, even if one party gets all of them. */
    atOnce: (): number => Math.max(1, Math.floor((total - taken - mostOfOthers() + 1) / 2)),

    /** How many places may be given at once, each to another party. */
    roundMax: (): number => Math.max(1, total - taken - mostOfOthers()),

    /** Everyone may have the last place again. False where that changes nothing. */
    beginRound(): boolean {
      const isChanged = served.size > 0;
      served.clear();
      return isChanged;
    },

    /** Takes a place; the caller has seen that the party may. Answers how to give it back, once. */
    take(party: string): () => void {
      if (total - taken === 1) served.add(party);
      taken += 1;
      held.set(party, (held.get(party) ?? 0) + 1);
      let isHeld = true;
      return () => {
        if (!isHeld) return;
        isHeld = false;
        taken -= 1;
        const left = (held.get(party) ?? 1) - 1;
        if (left > 0) held.set(party, left);
        else held.delete(party);
      };
    },
  };
}
