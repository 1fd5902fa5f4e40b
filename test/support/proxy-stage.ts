import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type Harness, type HarnessOptions, startHarness, USER_TOKEN } from './proxy-harness.ts';
import { type RawAnswer, type RawUpstream, startRawUpstream } from './upstream.ts';

const closers: (() => unknown)[] = [];

/** A provider that answers as the test says, and the proxy in front of it. Both end with `closeStage`. */
export async function startStage(
  answer: RawAnswer,
  options: Partial<HarnessOptions> = {},
): Promise<{ upstream: RawUpstream; gateway: Harness }> {
  const upstream = await startRawUpstream(answer);
  const gateway = await startHarness({ upstreamPort: upstream.port, ...options });
  closeLater(gateway.close, upstream.close);
  return { upstream, gateway };
}

/** For `closeStage`, in this order. */
export function closeLater(...more: (() => unknown)[]): void {
  closers.push(...more);
}

/** For `afterEach`: ends what the test has started. */
export async function closeStage(): Promise<void> {
  for (const close of closers.splice(0)) await close();
}

/** A caller on a raw socket that the test controls. `head` is what stands before Host and the user token. */
export async function openCaller(
  { port }: Harness,
  head: readonly string[],
  body = '',
): Promise<{ socket: Socket; received: Buffer[] }> {
  const socket = connect(port, '127.0.0.1');
  const received: Buffer[] = [];
  socket.on('data', (chunk) => received.push(chunk));
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write(`${[...head, 'Host: g', `Authorization: Bearer ${USER_TOKEN}`].join('\r\n')}\r\n\r\n${body}`);
  return { socket, received };
}
