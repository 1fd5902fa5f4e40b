import { findWebhookSecretUse, isSignedByClient } from '../../src/catalog/facts/webhook-secret.ts';
import type { Provider } from '../../src/catalog/schema/provider.schema.ts';
import { judgeWebhooks } from '../../src/diagnosis/judge-webhooks.ts';
import { HttpError } from '../../src/http/errors.ts';
import { assertWebhookSecret } from '../../src/integrations/integration-rules.ts';
import { chooseScheme, describeWebhooks } from '../../src/webhooks/message/description.ts';
import { chooseSecrets } from '../../src/webhooks/receiving/choose-secrets.ts';
import { builtInCatalog } from '../support/built-in-catalog.ts';

const ENTERED = 'entered-by-an-operator';

/** Whether the receiver would verify a signature, or a challenge, with a webhook secret of the integration. */
function isUsed(provider: Provider, scheme: string | undefined): boolean {
  const usual = describeWebhooks(provider);
  const description = usual && scheme !== undefined ? chooseScheme(usual, scheme) : usual;
  if (description === undefined) return false;
  const secrets = chooseSecrets(
    description,
    {
      integrationId: 'i',
      projectId: 'p',
      serviceProvider: provider.id,
      grant: null,
      clientId: 'client-id',
      clientSecrets: ['client-secret'],
      webhookSecrets: [ENTERED],
      webhookScheme: scheme,
    },
    undefined,
  );
  const isVerifyToken = description.handshake?.some(({ verifyToken }) => verifyToken !== undefined) === true;
  return (secrets.includes(ENTERED) && description.signature.scheme !== 'none') || isVerifyToken;
}

function refusalOf(provider: Provider, webhookScheme?: string): HttpError | undefined {
  try {
    assertWebhookSecret(provider, ENTERED, { ...(webhookScheme !== undefined && { webhookScheme }) });
    return undefined;
  } catch (error) {
    if (error instanceof HttpError) return error;
    throw error;
  }
}

const providers = builtInCatalog.list();
const schemesOf = ({ webhooks }: Provider) => [undefined, ...Object.keys(webhooks.alternatives ?? {})];

describe('the webhook secret of an integration', () => {
  it('is taken exactly where the receiver would verify something with it', () => {
    const wrong = providers.flatMap((provider) =>
      schemesOf(provider)
        .filter((scheme) => (findWebhookSecretUse(provider, scheme) !== 'none') !== isUsed(provider, scheme))
        .map((scheme) => `${provider.id} ${scheme ?? ''}`),
    );
    expect(providers.length).toBeGreaterThan(1_000);
    expect(wrong).toEqual([]);
  });

  it('is refused with the client secret named where the provider signs with that', () => {
    const signing = providers.filter(({ webhooks }) => webhooks.secret?.from === 'client');
    expect(signing.length).toBeGreaterThanOrEqual(24);
    const refused = signing.filter((provider) => findWebhookSecretUse(provider) === 'none');
    expect(refused.map(({ id }) => id)).toContain('hubspot');
    for (const provider of refused) {
      const [fault] = refusalOf(provider)?.errors ?? [];
      expect([provider.id, fault?.path]).toEqual([provider.id, 'body.webhookSecret']);
      expect(fault?.message).toContain('set clientSecret instead');
    }
    const asTokens = signing.filter((provider) => !refused.includes(provider));
    expect(asTokens.map((provider) => findWebhookSecretUse(provider))).toEqual(
      asTokens.map(() => 'verify_token'),
    );
  });

  it('is never the remedy for signatures that are made with the client secret', () => {
    for (const provider of providers.filter(({ webhooks }) => webhooks.secret?.from === 'client')) {
      const facts = {
        areWanted: true,
        lastWebhook: null,
        signatureFailures: { count: 3, lastAt: new Date(0) },
      };
      const [finding] = judgeWebhooks(facts, {
        provider: provider.name,
        webhookUrl: 'https://gw.test/webhooks/1',
        isSignedByClient: isSignedByClient(provider),
      });
      expect([provider.id, finding?.code]).toEqual([provider.id, 'webhook_client_secret_wrong']);
    }
  });
});
