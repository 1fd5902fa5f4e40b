import {
  type Changeable,
  ChangedMeanwhile,
  type ChangeOf,
  changeCurrent,
  mergeEdit,
  type ThingOf,
} from '../api/change.ts';
import type { Form } from './form.ts';

type Edit<P extends Changeable, V extends object> = {
  readonly template: P;
  readonly path: Readonly<Record<string, string>>;
  readonly form: Pick<Form<V>, 'getFilled' | 'fill'>;
  /** The values of the form, as they are sent. */
  readonly values: V;
  /** What the form is filled with of the thing. */
  readonly read: (thing: ThingOf<P>) => V;
  /** What is sent, of the form's values and of what the thing is now. */
  readonly write: (values: V, now: ThingOf<P>) => ChangeOf<P>;
  /** With what is there now, when the operator wants to see it in the place of the own change. */
  readonly onLoadAgain?: (now: ThingOf<P>) => void;
};

/**
 * Sends what the operator changed in a form, and leaves alone what others changed since it was filled: for `useSave`.
 * Throws `ChangedMeanwhile` where both changed the same field.
 */
export function sendEdit<P extends Changeable, V extends object>(edit: Edit<P, V>) {
  const { template, path, form, values, read, write, onLoadAgain } = edit;
  const filled = form.getFilled();
  return changeCurrent(template, path, (now) => {
    const present = read(now);
    const merged = mergeEdit(filled, values, present);
    if (merged !== undefined) return write(merged, now);
    throw new ChangedMeanwhile(() => {
      form.fill(present);
      onLoadAgain?.(now);
    });
  });
}
