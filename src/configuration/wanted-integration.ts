import type { Provider } from '../catalog/schema/provider.schema.ts';
import { withGrant } from '../catalog/schema/provider-auth-methods.ts';
import type { InputFault } from '../http/errors.ts';
import { tidyFiles } from '../integrations/integration-rules.ts';
import { clientSecret, variables as variablesSchema } from '../integrations/integrations.schema.ts';
import type { ConfigurationDocument } from './document.schema.ts';
import type { Fields } from './objects.ts';
import { type Reference, readReference } from './references.ts';
import type { MergedSource, Step } from './source.ts';
import { missingValue } from './substitution.ts';

/** The provider, or why there is none. */
export type FindProvider = (id: string) => Promise<Provider | { readonly fault: string }>;

type Wanting = {
  readonly source: MergedSource;
  readonly secrets: ReadonlyMap<Reference, string>;
  /** By the path in the document. */
  readonly references: ReadonlyMap<string, Reference>;
  readonly findProvider: FindProvider;
};

type Wanted = {
  readonly fields: Fields;
  readonly references: Readonly<Record<string, Reference>>;
  readonly secrets: ReadonlyMap<string, string | undefined>;
  readonly faults: readonly InputFault[];
};

type GivenIntegration = ConfigurationDocument['integrations'][number];

/** An integration of a file: the provider says which of its variables are secret. */
export async function wantIntegration(
  { source, secrets: values, references: known, findProvider }: Wanting,
  given: GivenIntegration,
  place: readonly Step[],
): Promise<Wanted> {
  const faults: InputFault[] = [];
  const references: Record<string, Reference> = {};
  const secrets = new Map<string, string | undefined>();
  const fault = (member: readonly Step[], message: string) =>
    faults.push(source.faultAt([...place, ...member], message));
  const found = await findProvider(given.serviceProvider);
  if ('fault' in found) fault(['serviceProvider'], found.fault);
  const provider = 'fault' in found ? undefined : (withGrant(found, given.authMethod ?? null) ?? found);

  for (const name of ['clientSecret', 'webhookSecret'] as const) {
    const reference = readReference(given[name]);
    if (reference === undefined) continue;
    references[name] = reference;
    const judged = clientSecret.safeParse(values.get(reference));
    if (values.has(reference) && !judged.success)
      fault([name], 'The value of the reference is no secret: one line, at most 4096 characters');
    secrets.set(name, judged.data);
  }
  const open: Record<string, string> = {};
  const secretNames = new Set(provider?.variables.filter(({ secret }) => secret).map(({ name }) => name));
  for (const [name, text] of Object.entries(given.variables)) {
    const path = `variables.${name}`;
    // The text alone does not say it: a literal may read like a reference.
    const reference = known.get([...place, path].join('.'));
    if (reference !== undefined) references[path] = reference;
    const value = reference === undefined ? text : values.get(reference);
    const tidied = value === undefined ? undefined : tidyVariable(provider, name, value);
    if (secretNames.has(name) && reference === undefined)
      fault(
        ['variables', name],
        `Is secret at the provider: it stands here by reference, \${env:NAME} or \${file:path}`,
      );
    else if (secretNames.has(name)) secrets.set(path, tidied);
    else if (tidied === undefined) fault(['variables', name], missingValue(reference ?? ''));
    else open[name] = tidied;
  }
  return { fields: fieldsOf(given, provider, open), references, secrets, faults };
}

function tidyVariable(provider: Provider | undefined, name: string, value: string): string | undefined {
  const judged = variablesSchema.safeParse({ [name]: value });
  if (!judged.success) return undefined;
  return provider === undefined ? judged.data[name] : tidyFiles(provider, judged.data)[name];
}

/** The client id stays where the file leaves it out: the gateway may have registered the client. */
function fieldsOf(
  given: GivenIntegration,
  provider: Provider | undefined,
  variables: Readonly<Record<string, string>>,
): Fields {
  return {
    displayName: given.displayName ?? null,
    serviceProvider: given.serviceProvider,
    authMethod: provider?.grant ?? given.authMethod ?? null,
    ...(given.clientId !== undefined && { clientId: given.clientId }),
    scopes: given.scopes ?? [],
    optionalScopes: given.optionalScopes,
    variables,
    settings: given.settings,
    disabled: given.disabled ?? null,
  };
}
