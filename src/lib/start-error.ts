/**
 * A refusal to start that an operator can correct. The message is the reason, `remedy` what to do about it, if not in
 * it.
 */
export class StartError extends Error {
  override readonly name: string = 'StartError';
  readonly remedy: string | undefined;

  constructor(reason: string, options: ErrorOptions & { readonly remedy?: string } = {}) {
    super(reason, options);
    this.remedy = options.remedy;
  }
}

/** What a person reads when the gateway refuses to start, without a stack when an operator can correct the fault. */
export function explainRefusal(error: unknown): string {
  if (error instanceof StartError)
    return error.remedy === undefined ? error.message : `${error.message}\n${error.remedy}`;
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
