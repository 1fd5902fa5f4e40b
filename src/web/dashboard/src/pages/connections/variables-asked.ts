import { ApiError } from '../../api/problem.ts';

const PREFIX = 'body.variables.';
/** What the API says before the entry's own words. */
const REQUIRED = 'required for this provider: ';

export type Asked = { readonly name: string; readonly words: string };

/** What the application would have said of the connection, as a refusal names it; none where it is about something else. */
export function variablesAskedBy(error: unknown): readonly Asked[] {
  if (!(error instanceof ApiError) || error.problem.code !== 'application_variables_missing') return [];
  return (error.problem.errors ?? []).map(({ path, message }) => ({
    name: path.replace(PREFIX, ''),
    words: message.replace(REQUIRED, ''),
  }));
}
