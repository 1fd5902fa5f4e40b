import { readPath } from '../lib/json-path.ts';
import { removeSecrets } from '../lib/remove-secrets.ts';
import { cutText } from '../lib/storable-text.ts';
import { scrub } from '../platform/log-fields.ts';

const WORD_PLACES = [
  'error_description',
  'errorDescription',
  'message',
  'error.message',
  'error.description',
  'error_message',
  'errorMessage',
  'detail',
  'description',
  'errors.0.message',
  'errors.0.detail',
  'errors.0',
  'fault.faultstring',
  'ErrorResponse.Error.Message',
  'error',
] as const;

const WORDS_LENGTH_MAX = 200;
/** What stands behind is not shown, however much of it the removal of secrets takes away. */
const READ_LENGTH_MAX = 16_000;

/** The first sentence in a place where providers put one; empty where there is none. At most 16,000 characters. */
export function sentenceIn(answer: Record<string, unknown>): string {
  const found = WORD_PLACES.map((place) => readPath(answer, place)).find(
    (value) => typeof value === 'string' && value.includes(' '),
  );
  return typeof found === 'string' ? found.slice(0, READ_LENGTH_MAX) : '';
}

/**
 * What the provider says of its refusal, in its own words, for the operator: one line of at most 200 characters, without
 * control characters, anything that looks like a credential, and `secrets`. Undefined where it says nothing.
 */
export function readProviderWords(
  answer: Record<string, unknown>,
  secrets: readonly (string | null | undefined)[],
): string | undefined {
  const sentence = sentenceIn(answer);
  // Answers with tokens have none, and are no reason to look for secrets.
  if (sentence === '') return undefined;
  const line = scrub(removeSecrets(sentence, secrets))
    .replace(/[\p{Cc}\p{Cs}\s]+/gu, ' ')
    .trim();
  return line === '' ? undefined : cutText(line, WORDS_LENGTH_MAX);
}
