/**
 * Delays a refusal briefly, while not too many others are delayed. A client that sends its next request when the
 * last one is answered, as nearly all do, is slowed down to a few requests a second for each of its connections: its
 * requests then cost the process little. Beyond `heldMax` refusals are given at once, so that they hold no more than a
 * share of the calls that may be in flight.
 */
export function createSlowRefusals(options: {
  delayMs: number;
  heldMax: number;
}): (refusal: Error) => Promise<never> {
  let held = 0;
  return (refusal) => {
    if (held >= options.heldMax) throw refusal;
    held += 1;
    return new Promise((_resolve, reject) => {
      setTimeout(() => {
        held -= 1;
        reject(refusal);
      }, options.delayMs);
    });
  };
}
