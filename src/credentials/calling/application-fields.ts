import { actingVariables, isUsersOwnKey } from '../../catalog/facts/acting-variables.ts';
import { sendsUsersToProvider } from '../../catalog/facts/auth-kinds.ts';
import type { Provider } from '../../catalog/schema/provider.schema.ts';
import { listCallTemplateNames } from '../../lib/call-template.ts';
import { foldFieldName } from '../../lib/field-name.ts';
import { fillParameters } from '../../oauth/authorization-request.ts';
import type { ApplicationFields } from '../../proxy/contract.ts';

/**
 * The fields and parameters of calls by which the application says whom the integration's key acts for. Undefined where there
 * are none, and where the provider itself decides: users sign in there, or bring a key of their own. `isTyped` says of a
 * secret variable whether the user typed it.
 */
export function findApplicationFields(
  provider: Provider,
  values: Readonly<Record<string, string>>,
  isTyped: (name: string) => boolean,
): ApplicationFields | undefined {
  const { apiHeaders, apiQuery, variables } = provider;
  // Most descriptions name nothing in them, and the rest takes time.
  if (![apiHeaders, apiQuery].flatMap(Object.values<string>).some((text) => text.includes('{')))
    return undefined;
  const acting = actingVariables(provider);
  const said = new Set(
    variables.filter(({ name, from }) => from === 'application' || acting.has(name)).map(({ name }) => name),
  );
  const choose = (templates: Readonly<Record<string, string>>) => {
    const filled = fillParameters(templates, values);
    return Object.entries(templates)
      .filter(([, template]) => listCallTemplateNames(template).some((name) => said.has(name)))
      .map(([name]): [string, string | undefined] => [name.toLowerCase(), filled[name]]);
  };
  const headers = new Map(choose(apiHeaders).map(([name, value]) => [foldFieldName(name), value]));
  const query = new Map(choose(apiQuery));
  if (headers.size + query.size === 0) return undefined;
  if (sendsUsersToProvider(provider) || isUsersOwnKey(provider, isTyped)) return undefined;
  return { headers, query };
}
