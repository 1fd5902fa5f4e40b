/** What a user typed, or an application gave, on the way to one grant: by name, apart from what is secret. */
export type EnteredValues = {
  readonly variables: Record<string, string>;
  readonly secrets: Record<string, string>;
};

export const NOTHING_ENTERED: EnteredValues = { variables: {}, secrets: {} };

/** Fields of a form that came once, as text; one that came twice is left out and so reported as missing. */
export function readFields(body: unknown): Record<string, string> {
  if (typeof body !== 'object' || body === null) return {};
  return Object.fromEntries(
    Object.entries(body).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
