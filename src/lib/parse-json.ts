/** The value of a JSON text; undefined where it is none. Not for texts of unbounded length: it holds the event loop. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
