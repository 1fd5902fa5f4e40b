import type { ServerResponse } from 'node:http';
import type { EndSignal } from '../proxy/call-held.ts';

/** Sends what the SDK answers. */
export async function sendReply(response: ServerResponse, reply: Response): Promise<void> {
  const text = await reply.text();
  if (response.destroyed) return;
  response.statusCode = reply.status;
  for (const [name, value] of reply.headers) response.setHeader(name, value);
  endReply(response, text);
}

function endReply(response: ServerResponse, text: string): void {
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('Content-Length', Buffer.byteLength(text));
  response.end(text);
}

/** Ends what is under way for a client that has left. */
export function abortedWith(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) controller.abort();
  });
  return controller.signal;
}

/** The same for a call of a provider, at a fraction of what a signal costs. */
export function endedWith(response: ServerResponse): EndSignal {
  return {
    addEventListener(_type, listener) {
      response.on('close', () => {
        if (!response.writableFinished) listener();
      });
    },
    // A call that has ended takes no notice of it.
    removeEventListener: () => undefined,
  };
}
