import { useMutation } from '@tanstack/react-query';
import { useTexts } from '../texts/texts.tsx';
import { useConfirm } from './confirm.tsx';
import type { Question } from './question.ts';
import { showProblem } from './toasts.tsx';
import { type Outcome, useConclude } from './use-conclude.ts';

type Action<V, R> = Outcome<R> & {
  /** Asked first; nothing is done where it is declined. */
  readonly question?: Question | ((input: V) => Question | undefined | Promise<Question>);
  readonly send: (input: V, asked: Question | undefined) => Promise<R>;
};

/** Does what a button says, after a question where there is one. A refusal is a toast. */
export function useAction<V = void, R = unknown>({ question, send, ...outcome }: Action<V, R>) {
  const texts = useTexts();
  const confirm = useConfirm();
  const conclude = useConclude(outcome);
  return useMutation({
    mutationFn: async (input: V) => {
      const asked = typeof question === 'function' ? await question(input) : question;
      if (asked !== undefined && !(await confirm(asked))) return;
      await conclude(await send(input, asked));
    },
    onError: (error) => showProblem(error, texts),
  });
}
