import { type ChangeEvent, createElement, type FormEvent, type ReactNode, useRef, useState } from 'react';
import { FaultText } from './fault-text.tsx';
import { type Errors, placeFaults } from './place-faults.ts';
import { useUnsaved } from './use-unsaved.ts';

/** The fields that hold a value of this kind. */
type KeysOf<T, V> = { [K in keyof T]: T[K] extends V ? K : never }[keyof T] & string;

type TextEvent = ChangeEvent<HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement>;

type FormOptions<T> = {
  readonly initialValues: T;
  /** What is wrong with a field's value, judged before anything is sent. */
  readonly rules?: { readonly [K in keyof T]?: (value: T[K]) => string | undefined };
  /** The field of a member that the API calls otherwise: `{ 'limits.callsPerMinute': 'limit' }`. */
  readonly fields?: Readonly<Record<string, keyof T & string>>;
  /** False where what is typed is worth nothing later, as a password: the page is left without a question. */
  readonly isKept?: boolean;
};

/** The values of a form, and what is wrong with them: beside its field, or else in `problem`, for a notice. */
export function useForm<T extends object>({
  initialValues,
  rules = {},
  fields = {},
  isKept = true,
}: FormOptions<T>) {
  const [values, keepValues] = useState(initialValues);
  const [errors, setErrors] = useState<Errors>({});
  // The API's words are shown in the operator's language; what the page itself finds wrong is in it already.
  const [isOfApi, setOfApi] = useState(false);
  const [problem, setProblem] = useState<unknown>();
  const { isDirty, markSaved } = useUnsaved(values, initialValues, isKept);
  const filled = useRef(initialValues);
  // Only a field that the page draws now can show a message.
  const drawn = useRef(new Set<string>());
  drawn.current = new Set();

  const change = (changed: Partial<T>) => {
    keepValues((before) => ({ ...before, ...changed }));
    setErrors((known) => withoutFields(known, Object.keys(changed)));
  };
  // Typed by those who call it: an event cannot know which of several texts it brings.
  const set = (name: keyof T & string, value: unknown) => {
    keepValues((before) => ({ ...before, [name]: value }));
    setErrors((known) => withoutFields(known, [name]));
  };
  const getError = (name: string): ReactNode => {
    drawn.current.add(name);
    const text = errors[name];
    return text !== undefined && isOfApi ? createElement(FaultText, { text }) : text;
  };
  const clearErrors = () => {
    setErrors({});
    setProblem(undefined);
  };
  const refill = (present: T) => {
    filled.current = present;
    keepValues(present);
    clearErrors();
  };
  const isValid = () => {
    const found = judge(values, rules, drawn.current);
    setErrors(found);
    setOfApi(false);
    setProblem(undefined);
    return Object.keys(found).length === 0;
  };
  return {
    values,
    errors,
    problem,
    setValues: change,
    setField: <K extends keyof T & string>(name: K, value: T[K]) => set(name, value),
    /** The same for a choice: its options are the texts that the field may hold. */
    setChoice: <K extends KeysOf<T, string>>(name: K, value: string) => set(name, value),
    getError,
    clearErrors,
    isValid,
    isDirty,
    /** The values are what the API has now: to leave the page loses nothing. */
    markSaved: () => {
      filled.current = values;
      markSaved();
    },
    /** What the fields held before the operator changed them. */
    getFilled: () => filled.current,
    /** Puts what the API has now in the place of all that was typed. A method, so that fields take a form with more. */
    fill(present: T): void {
      refill(present);
    },
    /** Shows a refusal: each fault beside its field where there is one, the rest as `problem`. */
    fail: (error: unknown) => {
      const placed = placeFaults(error, fields, drawn.current);
      setErrors(placed.errors);
      setOfApi(true);
      setProblem(placed.problem);
    },
    reset: () => refill(initialValues),
    /** For a field of text, or a choice among texts. */
    getInputProps: <K extends KeysOf<T, string>>(name: K) => ({
      value: values[name],
      error: getError(name),
      // Mantine's field for passwords does not say so itself.
      'aria-invalid': getError(name) === undefined ? undefined : true,
      onChange: (event: TextEvent) => set(name, event.currentTarget.value),
    }),
    /** For a field that gives its value instead of an event. */
    getValueProps: <K extends keyof T & string>(name: K) => ({
      value: values[name],
      error: getError(name),
      onChange: (value: T[K]) => set(name, value),
    }),
    getCheckboxProps: <K extends KeysOf<T, boolean>>(name: K) => ({
      checked: values[name],
      error: getError(name),
      onChange: (event: ChangeEvent<HTMLInputElement>) => set(name, event.currentTarget.checked),
    }),
    onSubmit: (submit: (values: T) => void) => (event: FormEvent) => {
      event.preventDefault();
      if (isValid()) submit(values);
    },
  };
}

export type Form<T extends object> = ReturnType<typeof useForm<T>>;

/** Only the fields that are drawn: what is wrong elsewhere is not sent either, and nothing would say so. */
function judge<T extends object>(
  values: T,
  rules: NonNullable<FormOptions<T>['rules']>,
  drawn: ReadonlySet<string>,
): Errors {
  const found: Record<string, string> = {};
  for (const name in rules) {
    const message = drawn.has(name) ? rules[name]?.(values[name]) : undefined;
    if (message !== undefined) found[name] = message;
  }
  return found;
}

/** What was said of these fields or of something within them is about values that are gone. */
function withoutFields(errors: Errors, names: readonly string[]): Errors {
  const isGone = (path: string) => names.some((name) => path === name || path.startsWith(`${name}.`));
  const left = Object.entries(errors).filter(([path]) => !isGone(path));
  return left.length === Object.keys(errors).length ? errors : Object.fromEntries(left);
}

/** The options of a choice, by their values. */
export function listOptions(labels: Readonly<Record<string, string>>): { value: string; label: string }[] {
  return Object.entries(labels).map(([value, label]) => ({ value, label }));
}
