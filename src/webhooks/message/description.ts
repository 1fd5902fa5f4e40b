import { readResponseType } from '../../catalog/rules/webhook-response-rules.ts';
import type { Provider } from '../../catalog/schema/provider.schema.ts';
import type { ProviderWebhooks } from '../../catalog/schema/provider-webhooks.schema.ts';
import { fillTemplate } from '../../lib/template.ts';
import { isCustomId } from '../../providers/custom-description.ts';
import type { WebhookDescription } from './webhook.ts';

/** What the catalog declares of a provider's webhooks; undefined where the gateway does not receive them. */
export function describeWebhooks(
  provider: Pick<Provider, 'id' | 'webhooks'>,
): WebhookDescription | undefined {
  const { webhooks, id } = provider;
  const { scope, signature, payload, secret } = webhooks;
  if (!webhooks.supported || !scope || !signature || !payload || !secret) return undefined;
  const acknowledge = webhooks.acknowledge && setSafeType(webhooks.acknowledge, isCustomId(id));
  return { ...webhooks, acknowledge, providerId: id, scope, signature, payload, secret };
}

/** Descriptions were stored, and files written, before the content type was judged. */
function setSafeType(
  acknowledge: NonNullable<ProviderWebhooks['acknowledge']>,
  isOwn: boolean,
): NonNullable<ProviderWebhooks['acknowledge']> {
  const { contentType = 'text/plain', ...rest } = acknowledge;
  return { ...rest, contentType: readResponseType(contentType, isOwn) ?? 'text/plain' };
}

/**
 * The description with another of its schemes in the place of the usual one, as an integration's setting names it;
 * undefined where the provider has none of that name.
 */
export function chooseScheme(description: WebhookDescription, name: string): WebhookDescription | undefined {
  const signature = Object.hasOwn(description.alternatives ?? {}, name)
    ? description.alternatives?.[name]
    : undefined;
  return signature === undefined ? undefined : { ...description, signature };
}

/**
 * The webhook secret of an integration or a connection whose provider makes it of other values (`client`, `credential`):
 * `{clientSecret}` by default, or what the file's template says. Undefined where a value is missing.
 */
export function deriveSecret(
  { secret }: Pick<WebhookDescription, 'secret'>,
  values: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const template = secret.template ?? (secret.from === 'client' ? '{clientSecret}' : '{apiKey}');
  return fillTemplate(template, values);
}
