import { missingVariableErrors } from '../catalog/facts/missing-variables.ts';
import { validateVariable } from '../catalog/facts/resolve-url.ts';
import type { Provider } from '../catalog/schema/provider.schema.ts';
import { HttpError } from '../http/errors.ts';
import type { Principal } from '../http/principal.ts';
import type { ConnectFlow, Target } from './connect-flow.ts';
import { missingOfApplication } from './connect-flow.ts';
import type { CreateConnectSession } from './connect-sessions.schema.ts';

export type SessionVariablesDependencies = { readonly flow: Pick<ConnectFlow, 'targetFor'> };

type Named = { readonly projectId: string; readonly integrationId: string | undefined };

/**
 * Judges what the application says of a connection before its user is asked: for whom a key of the integration acts is
 * never the end user's word. Throws application_variables_refused, variable_invalid and application_variables_missing;
 * where the user has yet to choose an integration, the page that follows the choice refuses.
 */
export function createSessionVariables({ flow }: SessionVariablesDependencies) {
  return async (
    principal: Principal,
    { variables, connectionId }: CreateConnectSession,
    { projectId, integrationId }: Named,
  ): Promise<Record<string, string>> => {
    if (variables !== undefined && principal.kind === 'end_user') {
      throw new HttpError('application_variables_refused');
    }
    if (integrationId === undefined) {
      if (Object.keys(variables ?? {}).length > 0) {
        const message = 'belong to one provider: name `provider` or `integrationId` as well';
        throw new HttpError('variable_invalid', { errors: [{ path: 'body.variables', message }] });
      }
      return {};
    }
    const session = { projectId, integrationId, connectionId: connectionId ?? null, tenantId: null };
    const target = await flow.targetFor({ ...session, applicationVariables: {} });
    if (target === undefined) return {};
    const judged = judgeValues(target, variables ?? {});
    const missing = missingOfApplication(await flow.targetFor({ ...session, applicationVariables: judged }));
    if (missing.length > 0) {
      throw new HttpError('application_variables_missing', {
        detail: explainMissing(target.provider, principal),
        errors: missingVariableErrors(missing, 'body.variables.'),
      });
    }
    return judged;
  };
}

function explainMissing({ name }: Provider, { kind }: Principal): string {
  const what = `For ${name} the application says for whom the key of the integration acts.`;
  if (kind === 'end_user')
    return `${what} A user token cannot: the backend makes the connect session with an API key.`;
  return `${what} Name it in \`variables\`.`;
}

function judgeValues(
  { provider, integration }: Target,
  given: Readonly<Record<string, string>>,
): Record<string, string> {
  const values: Record<string, string> = {};
  const errors = Object.entries(given).flatMap(([name, value]) => {
    const path = `body.variables.${name}`;
    const variable = provider.variables.find((candidate) => candidate.name === name);
    if (variable === undefined) return [{ path, message: 'this provider has no such variable' }];
    if (variable.from !== 'application')
      return [{ path, message: `is from: ${variable.from}, which a connect session does not take` }];
    if (Object.hasOwn(integration.variables, name))
      return [{ path, message: 'the integration sets it, for all of its connections' }];
    const judged = validateVariable(variable, value);
    if (!judged.ok) return [{ path, message: judged.message }];
    values[name] = judged.value;
    return [];
  });
  if (errors.length > 0) throw new HttpError('variable_invalid', { errors });
  return values;
}
