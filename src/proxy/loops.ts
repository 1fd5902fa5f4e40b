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
  if (field === undefined) return;
  const passed = field.split(',').map((mark) => mark.trim());
  const own = marks?.() ?? [];
  if (field.length > MARKS_LENGTH_MAX || passed.some((mark) => own.includes(mark))) {
    throw new HttpError('loop_detected');
  }
}

/**
 * True for the refusal of a gateway that the call came back to. It is replaced by a refusal of this gateway's own,
 * because `Gateway-` fields of an answer are not passed on. A provider that imitates it replaces nothing but its own
 * answer.
 */
export function isLoopRefusal(status: number, rawHeaders: readonly string[]): boolean {
  return status === 508 && firstField(rawHeaders, 'gateway-error') === 'loop_detected';
}
