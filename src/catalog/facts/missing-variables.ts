import type { Provider, ProviderVariable } from '../schema/provider.schema.ts';

/** Variables that `from` must give: without a default, not optional and not among the known ones. */
export function missingVariables(
  { variables }: Pick<Provider, 'variables'>,
  from: 'user' | 'integration' | 'application' | 'callback',
  known: Readonly<Record<string, string>>,
): ProviderVariable[] {
  return variables.filter(
    (variable) =>
      variable.from === from &&
      variable.default === undefined &&
      variable.optional !== true &&
      !Object.hasOwn(known, variable.name),
  );
}

/** The missing ones for `errors[]`: each with what it is and where to find it. `prefix` is the path of the variables. */
export function missingVariableErrors(missing: readonly ProviderVariable[], prefix: string) {
  return missing.map(({ name, title, description }) => ({
    path: `${prefix}${name}`,
    message: `required for this provider: ${description ?? title ?? name}`,
  }));
}
