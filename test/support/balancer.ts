import { Agent, createServer, get, request as httpRequest } from 'node:http';
import { closeServer, listen } from './listen.ts';

export type Balancer = {
  readonly url: string;
  /** Whether the gateway at this port gets requests. */
  isReady(port: number): boolean;
  close(): Promise<void>;
};

/**
 * A load balancer that looks at `/readyz` of each gateway every `intervalMs`, and sends a request to one of those that
 * said 200, over kept connections. It tries nothing twice: a connection that fails is a 502 for its caller.
 */
export async function startBalancer(ports: readonly number[], intervalMs: number): Promise<Balancer> {
  const agent = new Agent({ keepAlive: true });
  const ready = new Set<number>(ports);
  const probe = (port: number) => {
    const asked = get({ port, host: '127.0.0.1', path: '/readyz', agent: false }, (answer) => {
      answer.resume();
      if (answer.statusCode === 200) ready.add(port);
      else ready.delete(port);
    });
    asked.on('error', () => ready.delete(port));
  };
  const timer = setInterval(() => ports.forEach(probe), intervalMs);
  let turn = 0;
  const server = createServer((incoming, outgoing) => {
    const candidates = [...ready];
    turn += 1;
    const port = candidates[turn % candidates.length];
    if (port === undefined) {
      outgoing.writeHead(503).end('no gateway is ready');
      return;
    }
    const { method, headers, url } = incoming;
    const forwarded = httpRequest(
      { host: '127.0.0.1', port, method, headers, path: url, agent },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 0, answer.headers);
        answer.pipe(outgoing);
      },
    );
    forwarded.on('error', (error) => outgoing.writeHead(502).end(error.message));
    incoming.pipe(forwarded);
  });
  const url = `http://127.0.0.1:${await listen(server)}`;
  return {
    url,
    isReady: (port) => ready.has(port),
    close: async () => {
      clearInterval(timer);
      agent.destroy();
      await closeServer(server);
    },
  };
}
