import { createHeldRequest, type HeldAnswer, HeldResponse } from '../platform/held-exchange.ts';
import type { Door } from './contract.ts';
import type { Proxy as ProxyEngine } from './proxy.router.ts';

/** What ends a call early. An `AbortSignal` is one. */
export type EndSignal = {
  addEventListener(type: 'abort', listener: () => void, options: { readonly once: true }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
};

/**
 * Runs a call of this process through the proxy as an HTTP request would go, from admission to the record of the call,
 * without a connection of its own. One that `signal` ends is answered as broken off.
 */
export function callHeld(
  proxy: Pick<ProxyEngine, 'enter'>,
  call: Parameters<typeof createHeldRequest>[0],
  how: { readonly door: Door; readonly bytesMax: number; readonly signal: EndSignal },
): Promise<HeldAnswer> {
  const { door, bytesMax, signal } = how;
  return new Promise((resolve) => {
    const request = createHeldRequest(call);
    const response = new HeldResponse(request, bytesMax, (answer) => {
      signal.removeEventListener('abort', leave);
      resolve(answer);
    });
    const leave = (): void => void response.destroy();
    signal.addEventListener('abort', leave, { once: true });
    proxy.enter(request, response, door);
  });
}

/** Fields that both of the gateway's own doors send; Authorization stands where the proxy puts the provider's credential. */
export function doorFields(host: string): string[] {
  return [
    'Host',
    host,
    'Authorization',
    'Bearer door',
    'Accept-Encoding',
    'identity',
    'User-Agent',
    'integration-gateway',
  ];
}
