/** One row of the public error table; `meaning` is the default `detail` of a problem. */
export type ErrorEntry = {
  readonly status: number;
  readonly title: string;
  readonly meaning: string;
  readonly remedy: string;
  readonly retryable: boolean;
  /** What callers read as the code, where it is not the entry's own name. */
  readonly code?: string;
};

/** The same request will fail again until the caller or an operator changes something. */
export function permanent(status: number, title: string, meaning: string, remedy: string): ErrorEntry {
  return { status, title, meaning, remedy, retryable: false };
}

/** The same request may well succeed later. */
export function retryable(status: number, title: string, meaning: string, remedy: string): ErrorEntry {
  return { status, title, meaning, remedy, retryable: true };
}
