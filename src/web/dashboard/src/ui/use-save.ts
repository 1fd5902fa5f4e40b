import { useMutation } from '@tanstack/react-query';
import type { Form } from './form.ts';
import { useAttempt } from './use-attempt.ts';
import { type Outcome, useConclude } from './use-conclude.ts';

type Save<V, R> = Outcome<R> & {
  readonly send: (input: V) => Promise<R>;
  /** Shows what is refused beside its fields; what is left, or all without a form, is `problem`, for a notice. */
  readonly form?: Pick<Form<object>, 'fail' | 'clearErrors' | 'problem' | 'markSaved'>;
  /** The answer holds a secret, which nothing keeps longer than the page shows it. */
  readonly isSecret?: boolean;
};

/**
 * Sends what a form holds: `form.onSubmit(save.mutate)`. Once, however often the button is pressed until the result is
 * shown, and again by itself where the network was away or the session had ended.
 */
export function useSave<V = void, R = unknown>({ send, form, isSecret = false, ...outcome }: Save<V, R>) {
  const conclude = useConclude(outcome);
  const attempt = useAttempt(form !== undefined);
  const save = useMutation({
    mutationFn: (input: V) => attempt.run(() => send(input)),
    ...(isSecret && { gcTime: 0 }),
    onMutate: () => form?.clearErrors(),
    onSuccess: async (result) => {
      form?.markSaved();
      await conclude(result);
    },
    onError: (error) => form?.fail(error),
    onSettled: (_result, error, input) => attempt.end(input, error),
  });
  const mutate: typeof save.mutate = (...given) => {
    if (attempt.begin(given[0])) save.mutate(...given);
  };
  return { ...save, mutate, problem: form ? form.problem : save.error };
}
