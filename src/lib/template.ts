const PLACEHOLDER = /\{([A-Za-z][A-Za-z0-9_.]*)\}/g;

/** Names of the `{placeholders}` in a template, each once, in order of appearance. */
export function listPlaceholders(template: string): string[] {
  return [...new Set([...template.matchAll(PLACEHOLDER)].map((match) => match[1] ?? ''))];
}

/** `{name}`, as a template writes it. */
export function writePlaceholder(name: string): string {
  return `{${name}}`;
}

/** Replaces each `{name}` placeholder by what `value` answers for its name and place. */
export function fillPlaceholders(template: string, value: (name: string, start: number) => string): string {
  return template.replace(PLACEHOLDER, (_whole, name: string, start: number) => value(name, start));
}

/**
 * Fills `{name}` placeholders. `encode` is applied to every value (identity by default).
 * Answers undefined when a placeholder has no value, so that a half-filled URL is never called.
 */
export function fillTemplate(
  template: string,
  values: Readonly<Record<string, string | undefined>>,
  encode: (value: string) => string = (value) => value,
): string | undefined {
  let missing = false;
  const filled = template.replace(PLACEHOLDER, (_whole, name: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value === undefined) missing = true;
    return encode(value ?? '');
  });
  return missing ? undefined : filled;
}
