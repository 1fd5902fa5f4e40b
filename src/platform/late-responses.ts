/** Why no answer came after the time-out either. */
export type LostResponseReason = 'timeout' | 'network' | 'tls' | 'too_large' | 'too_many' | 'stopped';

type Handled = void | Promise<void>;

/**
 * What becomes of an answer that arrives after its request timed out. Exactly one of the two functions is called, once,
 * if and only if the request was rejected with kind `timeout` and `mayHaveBeenProcessed`, and after that rejection.
 * `stop` waits for a promise that one returns; neither may throw or reject.
 */
export type LateResponse<Response> = {
  /** How long after the time-out the answer is still taken, in milliseconds. */
  readonly withinMs: number;
  onAnswer(response: Response): Handled;
  onLost(reason: LostResponseReason): Handled;
};

/** An exchange that stays open after its caller got the time-out. */
export type LateExchange<Response> = {
  answer(response: Response): void;
  lose(reason: LostResponseReason): void;
};

export type LateResponses<Response> = ReturnType<typeof createLateResponses<Response>>;

/** Keeps at most `max` exchanges open after their time-out: silent servers must not fill the memory. */
export function createLateResponses<Response>(max: number) {
  const open = new Set<LateExchange<Response>>();
  const handling = new Set<Promise<void>>();
  let isStopped = false;

  function track(handled: Handled): void {
    const tracked = Promise.resolve(handled).finally(() => handling.delete(tracked));
    handling.add(tracked);
  }

  return {
    /** Keeps an exchange open; `close` ends its connection. Where there is no room, `onLost` is called soon. */
    keepOpen(
      { withinMs, onAnswer, onLost }: LateResponse<Response>,
      close: () => void,
    ): LateExchange<Response> | undefined {
      if (isStopped || open.size >= max) {
        close();
        const reason = isStopped ? 'stopped' : 'too_many';
        // Not at once: the caller's promise rejects with the time-out first.
        track(new Promise<void>((resolve) => setImmediate(resolve)).then(() => onLost(reason)));
        return undefined;
      }
      const settle = (handler: () => Handled) => {
        if (!open.delete(exchange)) return;
        clearTimeout(timer);
        close();
        track(handler());
      };
      const exchange: LateExchange<Response> = {
        answer: (response) => settle(() => onAnswer(response)),
        lose: (reason) => settle(() => onLost(reason)),
      };
      const timer = setTimeout(() => exchange.lose('timeout'), withinMs);
      open.add(exchange);
      return exchange;
    },

    /** Gives up every open exchange, and waits for what the handlers do. */
    async stop(): Promise<void> {
      isStopped = true;
      for (const exchange of open) exchange.lose('stopped');
      while (handling.size > 0) await Promise.allSettled(handling);
    },
  };
}
