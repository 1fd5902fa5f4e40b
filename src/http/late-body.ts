import { IncomingMessage, type ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { HttpError } from './errors.ts';

type BodyParser = (
  request: IncomingMessage,
  response: ServerResponse,
  next: (fault?: unknown) => void,
) => void;

/**
 * A body parser of Express that may come after something was awaited. By itself it takes the body of a caller that has ended its
 * side of the connection, or has left, for one that was read before, and the request goes on as if it had none.
 */
export function readLate(parse: BodyParser): BodyParser {
  return (request, response, next) => {
    if (request.readableEnded || (request.socket.readable && !request.destroyed)) {
      parse(request, response, next);
      return;
    }
    if (request.destroyed || !request.complete) {
      next(new HttpError('invalid_request', { detail: 'The caller left before its body was read.' }));
      return;
    }
    const held = holdBody(request);
    parse(held, response, (fault) => {
      if ('body' in held) Object.assign(request, { body: held.body });
      next(fault);
    });
  };
}

/** The same request with a connection that counts as open. All of the body is here: the connection has nothing behind it. */
function holdBody(request: IncomingMessage): IncomingMessage {
  const held = new IncomingMessage(new Socket());
  held.headers = request.headers;
  const bytes: unknown = request.read();
  if (bytes !== null) held.push(bytes);
  held.push(null);
  return held;
}
