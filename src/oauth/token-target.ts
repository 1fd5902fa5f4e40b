import { withClientCertificate } from '../catalog/facts/client-certificate.ts';
import { expandPastedValues } from '../catalog/facts/pasted-values.ts';
import { resolveUrl } from '../catalog/facts/resolve-url.ts';
import { templateValues } from '../catalog/facts/template-values.ts';
import { signClientAssertion } from './client-assertion.ts';
import { secretsIn } from './secret-values.ts';
import { buildTemplateValues, type Message, type Target } from './token-message.ts';
import type { CertifiedMessage } from './token-transport.ts';

/** An address template filled for a target; undefined where there is none, or a value is missing. */
export function resolveAddress(template: string | undefined, target: Target): string | undefined {
  if (template === undefined) return undefined;
  const resolved = resolveUrl(template, target.provider, buildTemplateValues(target));
  return resolved.ok ? resolved.url : undefined;
}

/** What is sent as the secret: itself, or an assertion signed with it. Undefined where it is no such key. */
export function presentedSecret(target: Target, secret: string | null): string | null | undefined {
  const { clientAssertion, tokenUrl } = target.provider;
  if (clientAssertion === undefined || secret === null) return secret;
  const known = expandPastedValues(target.provider, buildTemplateValues(target));
  const values = templateValues({
    connection: known,
    gateway: { tokenUrl: resolveAddress(tokenUrl, target) ?? '' },
  });
  return signClientAssertion(clientAssertion, secret, values, Date.now());
}

/** What any request to the provider may carry. */
export function secretsOfClient(target: Target): string[] {
  return [...secretsIn(target.provider, buildTemplateValues(target)), ...target.client.clientSecrets];
}

/** A message to the token or revocation endpoint with the certificate that is shown there. */
export function certified(target: Target, message: Message): CertifiedMessage {
  return withClientCertificate(message, target.provider, 'token', buildTemplateValues(target));
}
