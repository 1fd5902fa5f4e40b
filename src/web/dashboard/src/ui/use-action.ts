import { useMutation, useQueryClient } from '@tanstack/react-query';
import { findStatus } from '../api/problem.ts';
import { useTexts } from '../texts/texts.tsx';
import { useConfirm } from './confirm.tsx';
import type { Question } from './question.ts';
import { showProblem } from './toasts.tsx';
import { useAttempt } from './use-attempt.ts';
import { type Outcome, useConclude } from './use-conclude.ts';

type Action<V, R> = Outcome<R> & {
  /** Asked first; nothing is done where it is declined. */
  readonly question?: Question | ((input: V) => Question | undefined | Promise<Question>);
  readonly send: (input: V, asked: Question | undefined) => Promise<R>;
  /** Instead of the refusal's own words, which are for programs; undefined for those. */
  readonly refused?: (error: unknown) => string | undefined;
};

/** Refusals of what the page offered because it is not as the page shows it any more. */
const OVERTAKEN: ReadonlySet<number | undefined> = new Set([404, 409, 410, 412]);

/**
 * Does what a button says, after a question where there is one, once for a double click. A refusal is a toast, and the
 * page is read again where somebody else was faster.
 */
export function useAction<V = void, R = unknown>({ question, send, refused, ...outcome }: Action<V, R>) {
  const texts = useTexts();
  const client = useQueryClient();
  const confirm = useConfirm();
  const conclude = useConclude(outcome);
  const attempt = useAttempt(false);
  const action = useMutation({
    mutationFn: async (input: V) => {
      const asked = typeof question === 'function' ? await question(input) : question;
      if (asked !== undefined && !(await confirm(asked))) return;
      await conclude(await attempt.run(() => send(input, asked)));
    },
    onError: (error) => {
      showProblem(error, texts, refused?.(error));
      if (OVERTAKEN.has(findStatus(error))) void client.invalidateQueries();
    },
    onSettled: (_result, error, input) => attempt.end(input, error),
  });
  const mutate: typeof action.mutate = (...given) => {
    if (attempt.begin(given[0])) action.mutate(...given);
  };
  return { ...action, mutate };
}
