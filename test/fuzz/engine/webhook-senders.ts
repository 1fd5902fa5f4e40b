import { describeWebhooks } from '../../../src/webhooks/message/description.ts';
import type { WebhookDescription } from '../../../src/webhooks/message/webhook.ts';
import { builtInCatalog } from '../../support/built-in-catalog.ts';
import { callApi, type Gateway, type Project } from '../../support/gateway.ts';
import type { WebhookSender } from './stage.ts';

/** One provider of the built-in catalog for each way to sign, and to write a body, that an integration can be made for. */
export async function integrateSenders({ url }: Gateway, project: Project): Promise<WebhookSender[]> {
  const senders = new Map<string, WebhookSender>();
  for (const provider of builtInCatalog.list()) {
    const description = describeWebhooks(provider);
    if (description === undefined || senders.has(describeKind(description))) continue;
    const secret = chooseSecret(description);
    const clientSecret = 'a-client-secret-of-32-characters-x';
    const { status, body } = await callApi(url, 'POST', '/v1/integrations', {
      bearer: project.apiKey,
      body: {
        serviceProvider: provider.id,
        clientId: 'client',
        clientSecret,
        scopes: [],
        ...(description.secret.from === 'operator' && { webhookSecret: secret }),
      },
    });
    if (status !== 201 || typeof body.webhookUrl !== 'string') continue;
    senders.set(describeKind(description), {
      description,
      path: new URL(body.webhookUrl).pathname,
      secret: description.secret.from === 'client' ? clientSecret : secret,
    });
  }
  return [...senders.values()];
}

/** What the gateway does differently. */
function describeKind({ signature, payload, secret }: WebhookDescription): string {
  const { scheme } = signature;
  const hash = 'encoding' in signature ? signature.encoding : '';
  const isList = 'listSeparator' in signature && signature.listSeparator !== undefined;
  const time = 'timestamp' in signature ? signature.timestamp?.at.split(':')[0] : '';
  return [scheme, hash, isList, time, payload.format, secret.from].join(' ');
}

/** A secret of the form that the scheme wants; undefined where the keys are the provider's own. */
function chooseSecret({ signature }: WebhookDescription): string | undefined {
  if (signature.scheme === 'none' || 'key' in signature || signature.scheme === 'public-key')
    return undefined;
  const bytes = Buffer.from('planted-webhook-secret-x');
  const encoding = 'keyEncoding' in signature ? signature.keyEncoding : 'text';
  if (encoding === 'hex') return bytes.toString('hex');
  if (encoding === 'base64') return bytes.toString('base64');
  if (encoding === 'standard-webhooks') return `whsec_${bytes.toString('base64')}`;
  return signature.scheme === 'basic'
    ? 'planted-user:planted-webhook-secret'
    : 'planted-webhook-secret-of-text';
}
