import type { RequestHandler } from 'express';

/** Lets a request wait for the answer to the one before it at the same address, as of a form that is sent twice. */
export function createTurns(): (handler: RequestHandler) => RequestHandler {
  const last = new Map<string, Promise<unknown>>();
  return (handler) => async (request, response, next) => {
    const { path } = request;
    const own = Promise.allSettled([last.get(path)]).then(() => handler(request, response, next));
    last.set(path, own);
    try {
      await own;
    } finally {
      if (last.get(path) === own) last.delete(path);
    }
  };
}
