/** What is done for the n-th time; it throws where an answer is not that of a healthy gateway. */
export type Work = (index: number) => Promise<void>;

/** A kind of traffic, done one after the other, one at each interval. */
export type Kind = readonly [kind: string, intervalMs: number, work: Work];
