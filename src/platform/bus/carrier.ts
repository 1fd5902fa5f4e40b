/**
 * What carries messages between processes: each one to every process that is connected, its sender included, in the
 * order of their sender. A message may be lost, which `bus` finds out.
 */
export type Carrier = {
  /** Resolves when the server has taken the message. */
  publish(text: string): Promise<void>;
  /** Begins to listen, and connects again for ever. `onDown` comes when messages may be lost from now on. */
  listen(handlers: { onMessage(text: string): void; onDown(): void }): void;
  stop(): Promise<void>;
};
