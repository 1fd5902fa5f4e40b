import { useMutation } from '@tanstack/react-query';
import type { Form } from './form.ts';
import { type Outcome, useConclude } from './use-conclude.ts';

type Save<V, R> = Outcome<R> & {
  readonly send: (input: V) => Promise<R>;
  /** Shows what is refused beside its fields; what is left, or all without a form, is `problem`, for a notice. */
  readonly form?: Pick<Form<object>, 'fail' | 'clearErrors' | 'problem'>;
  /** The answer holds a secret, which nothing keeps longer than the page shows it. */
  readonly isSecret?: boolean;
};

/** Sends what a form holds: `form.onSubmit(save.mutate)`. */
export function useSave<V = void, R = unknown>({ send, form, isSecret = false, ...outcome }: Save<V, R>) {
  const conclude = useConclude(outcome);
  const save = useMutation({
    mutationFn: send,
    ...(isSecret && { gcTime: 0 }),
    onMutate: () => form?.clearErrors(),
    onSuccess: conclude,
    onError: (error) => form?.fail(error),
  });
  return { ...save, problem: form ? form.problem : save.error };
}
