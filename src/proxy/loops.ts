import type { IncomingMessage } from 'node:http';
import { HttpError } from '../http/errors.ts';
import { firstField } from './field-list.ts';

/** More gateways than any call has reason to pass, and far below the limit of a header section. */
const MARKS_LENGTH_MAX = 200;

/**
 * Every request to a provider carries `Gateway-Loop` with the mark of its installation. Throws `loop_detected` for a
 * request that has been here before, on this process or another of the installation: an API address led back to it. The
 * marks of other installations are forwarded, so that a circle through them is found as well; the field decides nothing
 * but this refusal, since any caller can write it.
 */
export function assertNoLoop(field: string | undefined, marks: (() => readonly string[]) | undefined): void {
  if (field !== undefined && isLoop(field, marks?.() ?? [])) throw new HttpError('loop_detected');
}

function isLoop(field: string, own: readonly string[]): boolean {
  const passed = field.split(',').map((mark) => mark.trim());
  return field.length > MARKS_LENGTH_MAX || passed.some((mark) => own.includes(mark));
}

/**
 * The same for what is no proxied call: an API address may lead to any page and operation of the gateway. `Gateway-Error` tells
 * the gateway in front, as the proxy does, what kind of refusal it is.
 */
export function createLoopRefusal(marks: () => readonly string[]) {
  return ({ headers }: Pick<IncomingMessage, 'headers'>, _response: unknown, next: () => void): void => {
    const field = headers['gateway-loop'];
    if (field !== undefined && isLoop(String(field), marks()))
      throw new HttpError('loop_detected', { headers: { 'Gateway-Error': 'loop_detected' } });
    next();
  };
}

/**
 * True for the refusal of a gateway that the call came back to. It is replaced by a refusal of this gateway's own,
 * because `Gateway-` fields of an answer are not passed on. A provider that imitates it replaces nothing but its own
 * answer.
 */
export function isLoopRefusal(status: number, rawHeaders: readonly string[]): boolean {
  return status === 508 && firstField(rawHeaders, 'gateway-error') === 'loop_detected';
}
