/** How the time of one call divides between the gateway and its provider, and what went to the caller. */
export class CallTiming {
  /** On the monotonic clock of `performance.now()`. */
  readonly startedAtMs = performance.now();
  /** Of the answer's body, as far as it was handed to the caller's connection. */
  responseBytes = 0;
  #providerMs = 0;
  /** Zero while the call waits for no provider. */
  #providerSinceMs = 0;
  #stoppedAtMs: number | undefined;

  /** From now on the call is in the provider's hands: a request to it is under way, or its answer is coming. */
  beginProvider(): void {
    if (this.#providerSinceMs === 0 && this.#stoppedAtMs === undefined)
      this.#providerSinceMs = performance.now();
  }

  /** The provider's answer has ended, or is not waited for any more. */
  endProvider(): void {
    if (this.#providerSinceMs === 0) return;
    this.#providerMs += performance.now() - this.#providerSinceMs;
    this.#providerSinceMs = 0;
  }

  /** The length of what follows, an open stream, says nothing of how fast the call was. */
  stop(): void {
    this.endProvider();
    this.#stoppedAtMs = performance.now();
  }

  /** Both shares until now, in ms; together they are the call's time. */
  read(): { readonly durationMs: number; readonly providerMs: number } {
    const nowMs = this.#stoppedAtMs ?? performance.now();
    const current = this.#providerSinceMs === 0 ? 0 : nowMs - this.#providerSinceMs;
    return { durationMs: nowMs - this.startedAtMs, providerMs: this.#providerMs + current };
  }

  /** The value of `Gateway-Timing`, in the syntax of Server-Timing. */
  describe(): string {
    const { durationMs, providerMs } = this.read();
    return `gateway;dur=${rounded(durationMs - providerMs)}, provider;dur=${rounded(providerMs)}`;
  }
}

function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
