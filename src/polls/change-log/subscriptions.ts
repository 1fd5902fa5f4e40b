import type { LogSubscriptions } from '../../catalog/schema/provider-polls.schema.ts';
import { readPath, toFilledText } from '../../lib/json-path.ts';
import { fillTemplate } from '../../lib/template.ts';
import { type FilledRequest, fillRequest, type PollValues } from '../pages/fill-request.ts';
import { parseResponse, UnreadableResponseError } from '../pages/parse-response.ts';
import { PollFailure } from '../pages/poll-failure.ts';
import type { ProviderResponse } from '../pages/read-response.ts';

const LISTED_MAX = 50_000;
const CONFLICT = 409;

/** The request that lists the subscriptions that the provider has. Throws PollFailure. */
export function buildListRequest({ list }: LogSubscriptions, values: PollValues): FilledRequest {
  return requireFilled(fillRequest(list.request, values));
}

/** The requests that create what a list lacks, in the order of the parameter's values. Rejects with UnreadableAnswerError. */
export async function buildMissingRequests(
  { list, match, create, each }: LogSubscriptions,
  answer: ProviderResponse,
  values: PollValues,
): Promise<FilledRequest[]> {
  const { items } = await parseResponse(answer.body, list.items, LISTED_MAX);
  if (items === undefined)
    throw new UnreadableResponseError(`There is no list at ${list.items ?? 'the top'}.`);
  const paths = Object.keys(match);
  const listed = new Set(
    items.map((item) => joinKey(paths.map((path) => toFilledText(readPath(item, path))))),
  );
  const wanted = new Set(
    String(values[each] ?? '')
      .split(',')
      .map((value) => value.trim())
      .filter((value) => value !== ''),
  );
  return [...wanted].flatMap((value) => {
    const filling = { ...values, each: value };
    const texts = Object.fromEntries(
      Object.entries(filling).map(([name, given]) => [name, toFilledText(given)]),
    );
    const key = joinKey(Object.values(match).map((template) => fillTemplate(template, texts)));
    return listed.has(key) ? [] : [requireFilled(fillRequest(create, filling))];
  });
}

/** Whether a subscription is there after this answer: another worker may have been faster. */
export function isSubscribed({ status }: ProviderResponse): boolean {
  return status < 300 || status === CONFLICT;
}

function joinKey(parts: readonly (string | undefined)[]): string {
  return JSON.stringify(parts.map((part) => part ?? null));
}

function requireFilled(request: FilledRequest | undefined): FilledRequest {
  if (request !== undefined) return request;
  throw new PollFailure('request_incomplete', 'The path of a request names a value that is not known.');
}
