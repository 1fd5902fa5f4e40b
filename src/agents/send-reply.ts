import type { ServerResponse } from 'node:http';

/** Sends what the SDK answers. */
export async function sendReply(response: ServerResponse, reply: Response): Promise<void> {
  const text = await reply.text();
  if (response.destroyed) return;
  response.statusCode = reply.status;
  for (const [name, value] of reply.headers) response.setHeader(name, value);
  endReply(response, text);
}

export function endReply(response: ServerResponse, text: string): void {
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
