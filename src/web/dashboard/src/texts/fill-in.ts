export type Values = Readonly<Record<string, string | number>>;

/** Puts values into the places of a template that name them, `{account}`; what has no value stays as it is. */
export function fillIn(template: string, values: Values): string {
  return template.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}
