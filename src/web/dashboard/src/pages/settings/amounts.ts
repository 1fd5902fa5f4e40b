import { useLanguage, useTexts } from '../../texts/texts.tsx';

/** As many proxied calls a minute, and a day, as a limit may say. */
export const LIMIT_MAX = 1_000_000;
export const QUOTA_MAX = 1_000_000_000;

/** What is wrong with the text of a limit: it is a whole number up to the most that is allowed, or nothing. */
export function useFaultOfAmount(): (text: string, max: number) => string | undefined {
  const { project: texts } = useTexts().settings;
  const { language } = useLanguage();
  return (text, max) =>
    isAmount(text.trim(), max) ? undefined : texts.amountInvalid(max.toLocaleString(language));
}

function isAmount(text: string, max: number): boolean {
  return text === '' || (/^[1-9]\d*$/.test(text) && Number(text) <= max);
}
