import type { ServerResponse } from 'node:http';

/** Aborted once the reply is sent or its caller has left, which may have been before the handler asks. */
export function callerGone(response: ServerResponse | undefined): AbortSignal {
  const gone = new AbortController();
  if (response?.destroyed) gone.abort();
  else response?.once('close', () => gone.abort());
  return gone.signal;
}
