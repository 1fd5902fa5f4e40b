/** What a user typed, or an application gave, on the way to one grant: by name, apart from what is secret. */
export type EnteredValues = {
  readonly variables: Record<string, string>;
  readonly secrets: Record<string, string>;
};

export const NOTHING_ENTERED: EnteredValues = { variables: {}, secrets: {} };
