import { requiredClientFields } from '../catalog/facts/asked-fields.ts';
import { certificateVariables, judgeClientCertificate } from '../catalog/facts/client-certificate.ts';
import { incompatibleVariables } from '../catalog/facts/incompatible-variables.ts';
import { missingVariableErrors, missingVariables } from '../catalog/facts/missing-variables.ts';
import { tidyPastedValue } from '../catalog/facts/pasted-values.ts';
import { validateVariable } from '../catalog/facts/resolve-url.ts';
import { findWebhookSecretUse, isSignedByClient } from '../catalog/facts/webhook-secret.ts';
import type { Provider, ProviderVariable } from '../catalog/schema/provider.schema.ts';
import { HttpError } from '../http/errors.ts';
import type { IntegrationSettings } from './integrations.schema.ts';

/** Refuses a new integration of a provider that is gone. Those that are there stay. Throws `provider_ended`. */
export function assertStillThere({ name, status, statusDate, statusNote }: Provider): void {
  if (status !== 'ended') return;
  const when = statusDate === undefined ? '' : ` (${statusDate})`;
  throw new HttpError('provider_ended', {
    detail: `${name} has ended${when}.${statusNote === undefined ? '' : ` ${statusNote}`}`,
    errors: [{ path: 'body.serviceProvider', message: 'has ended' }],
  });
}

/** Refuses an integration that could never work: an OAuth one without its client or scopes. */
export function assertComplete(
  provider: Provider,
  body: { readonly [Field in 'clientId' | 'clientSecret' | 'scopes']?: unknown },
): void {
  const missing = requiredClientFields(provider).filter((field) => body[field] === undefined);
  if (missing.length === 0) return;
  throw new HttpError('invalid_request', {
    detail: `${provider.name} needs ${missing.join(', ')}.`,
    errors: missing.map((field) => ({ path: `body.${field}`, message: 'required for this provider' })),
  });
}

/**
 * Refuses variables that the provider does not have, those that it reports for each connection (a value here would change
 * nothing), and values that do not fit them.
 */
export function assertVariables(provider: Provider, values: Record<string, string>): void {
  const errors = Object.entries(values).flatMap(([name, value]) => {
    const variable = provider.variables.find((candidate) => candidate.name === name);
    if (variable === undefined)
      return [{ path: `body.variables.${name}`, message: 'this provider has no such variable' }];
    const reason = explainReported(variable);
    if (reason !== undefined) return [{ path: `body.variables.${name}`, message: reason }];
    const judged = validateVariable(variable, value);
    return judged.ok ? [] : [{ path: `body.variables.${name}`, message: judged.message }];
  });
  if (errors.length > 0) throw new HttpError('variable_invalid', { errors });
}

/** Why an integration cannot set the variable; undefined where it can. */
function explainReported({ from }: ProviderVariable): string | undefined {
  switch (from) {
    case 'user':
    case 'integration':
    case 'application':
      return undefined;
    case 'external-id':
      return 'the gateway makes one for each end user: a value here would be that of all of them';
    case 'tenant':
      return 'each connection has its own: name it as `tenant` of the connect session, or change it by PATCH /v1/connections/{id} with `tenantId`';
    case 'callback':
    case 'token-response':
    case 'account':
      return 'the provider reports it for each connection: a value here would change nothing';
  }
}

/** Refuses a way to sign webhooks that the provider does not have. */
export function assertWebhookScheme(
  { name, webhooks }: Provider,
  { webhookScheme }: IntegrationSettings,
): void {
  const names = Object.keys(webhooks.alternatives ?? {});
  if (webhookScheme === undefined || names.includes(webhookScheme)) return;
  const message = names.length === 0 ? `${name} has one way only` : `one of: ${names.join(', ')}`;
  throw new HttpError('invalid_request', { errors: [{ path: 'body.settings.webhookScheme', message }] });
}

/** Refuses a webhook secret that neither a signature nor a challenge of the provider would use. */
export function assertWebhookSecret(
  provider: Provider,
  webhookSecret: string | null | undefined,
  { webhookScheme }: IntegrationSettings,
): void {
  if (webhookSecret == null || findWebhookSecretUse(provider, webhookScheme) !== 'none') return;
  const message = isSignedByClient(provider)
    ? `${provider.name} signs webhooks with the values of the client: set clientSecret instead`
    : `no webhook of ${provider.name} is verified with a secret that is entered here`;
  throw new HttpError('invalid_request', {
    detail: `${provider.name} takes no webhookSecret.`,
    errors: [{ path: 'body.webhookSecret', message }],
  });
}

/** Refuses values that do not fit the provider's addresses together, or with the client id. */
export function assertCompatibleVariables(
  provider: Provider,
  values: Readonly<Record<string, string>>,
  clientId: string | null = null,
): void {
  const misfits = incompatibleVariables(provider, { ...values, ...(clientId !== null && { clientId }) });
  const errors = misfits.map(({ variable, message }) => ({
    path: variable === 'clientId' ? 'body.clientId' : `body.variables.${variable}`,
    message,
  }));
  if (errors.length > 0) throw new HttpError('variable_invalid', { errors });
}

/**
 * Refuses a client certificate that no handshake can be made with: of another key, expired, or with a key that does not
 * open. Judged where the request gives a part of it; `values` are those that are kept as well.
 */
export function assertClientCertificate(
  provider: Provider,
  given: Readonly<Record<string, string>>,
  values: Readonly<Record<string, string>>,
): void {
  if (!certificateVariables(provider).some((name) => Object.hasOwn(given, name))) return;
  const fault = judgeClientCertificate(provider, values, Date.now());
  if (fault === undefined) return;
  const { variable, message } = fault;
  throw new HttpError('variable_invalid', { errors: [{ path: `body.variables.${variable}`, message }] });
}

/** The values with the texts of pasted files as they are kept: line breaks in order, and nothing beside the file. */
export function tidyFiles(
  provider: Pick<Provider, 'variables'>,
  values: Readonly<Record<string, string>>,
): Record<string, string> {
  const files = new Map(
    provider.variables
      .filter(({ input }) => input !== undefined)
      .map((variable) => [variable.name, variable]),
  );
  const tidied = Object.entries(values).map(([name, value]) => {
    const file = files.get(name);
    return [name, (file && tidyPastedValue(file, value)) ?? value] as const;
  });
  return Object.fromEntries(tidied);
}

/** Refuses an integration that lacks what only its operator can know. */
export function assertRequiredVariables(provider: Provider, values: Record<string, string>): void {
  const missing = missingVariables(provider, 'integration', values);
  if (missing.length === 0) return;
  throw new HttpError('invalid_request', {
    detail: `${provider.name} needs ${missing.map(({ name }) => `variables.${name}`).join(', ')}.`,
    errors: missingVariableErrors(missing, 'body.variables.'),
  });
}
