import { randomUUID } from 'node:crypto';
import { type ApiCall, callApi } from '../support/gateway.ts';
import { until } from '../support/until.ts';

/** A call of a set-up that must work in the end: on a busy machine the store may be late, which callers hear of as 503. */
export async function callPatiently(url: string, method: string, path: string, call: ApiCall) {
  const headers = { 'idempotency-key': randomUUID(), ...call.headers };
  let answer = await callApi(url, method, path, { ...call, headers });
  await until(async () => {
    if (answer.status !== 503 && answer.status !== 409) return true;
    answer = await callApi(url, method, path, { ...call, headers });
    return false;
  });
  if (answer.status >= 400)
    throw new Error(`${method} ${path} was answered ${answer.status}: ${answer.text}`);
  return answer.body;
}
