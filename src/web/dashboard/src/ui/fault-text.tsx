import { useProblemWording } from './use-problem-wording.ts';

/** What the API finds wrong with a member, a line for each fault, in the operator's language where it has a translation. */
export function FaultText({ text }: { text: string }) {
  const { wording, isLoading } = useProblemWording();
  if (isLoading) return null;
  return (
    wording?.wordFaults(text).map(({ line, words, lang }) => (
      <span key={line} lang={lang}>
        {words}
      </span>
    )) ?? text
  );
}
