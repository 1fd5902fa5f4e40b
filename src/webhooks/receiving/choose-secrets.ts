import type { WebhookSecrets } from '../../integrations/secrets/webhook-secrets.store.ts';
import { deriveSecret } from '../message/description.ts';
import type { WebhookDescription } from '../message/webhook.ts';
import type { WebhookAddress } from './addresses.store.ts';

/** The secrets with which a webhook may be signed, the newest first. */
export function chooseSecrets(
  description: WebhookDescription,
  { clientId, clientSecrets, webhookSecrets, webhookScheme }: WebhookSecrets,
  address: Pick<WebhookAddress, 'secret' | 'handshakes' | 'credential'> | undefined,
): string[] {
  // Another way to sign may have another secret, which is then entered: a site administrator's of Jira.
  if (webhookScheme !== undefined && webhookSecrets.length > 0 && !address?.secret)
    return [...webhookSecrets];
  switch (description.secret.from) {
    case 'client':
      return clientSecrets.flatMap(
        (clientSecret) => deriveSecret(description, { clientId: clientId ?? undefined, clientSecret }) ?? [],
      );
    case 'credential':
      return address?.credential ? [deriveSecret(description, address.credential) ?? []].flat() : [];
    case 'none':
      return [];
    case 'handshake': {
      // The address's own may be of a registration from before, which sends until it is removed.
      const own = [...Object.values(address?.handshakes ?? {}).reverse(), address?.secret ?? []].flat();
      return own.length > 0 ? own : [...webhookSecrets];
    }
    case 'operator':
    case 'gateway':
    case 'registration':
      // What was agreed on for one address counts there alone, and more than what holds for all.
      return address?.secret ? [address.secret] : [...webhookSecrets];
  }
}
