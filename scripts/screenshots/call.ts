/** Calls the management API as one principal; throws where it refuses. */
export type Call = (method: string, path: string, body?: unknown) => Promise<Record<string, unknown>>;

export function createCall(url: string, bearer: string): Call {
  return async (method, path, body) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const reply = await response.json();
    if (!response.ok)
      throw new Error(`${method} ${path} was answered ${response.status}: ${JSON.stringify(reply)}`);
    return reply;
  };
}

export function toText(value: unknown): string {
  if (typeof value !== 'string') throw new Error('The gateway answered without an id');
  return value;
}
