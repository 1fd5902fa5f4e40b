import { isRecord } from '../lib/is-record.ts';
import { type Reference, readReference } from './references.ts';

/** The setting of signing in for agents without its secret, which stands beside it by reference. */
export function wantAgentSecret(values: ReadonlyMap<Reference, string>, setting: unknown) {
  const secrets = new Map<string, string | undefined>();
  const references: Record<string, Reference> = {};
  if (!isRecord(setting) || !isRecord(setting.openid)) return { setting, secrets, references };
  const { clientSecret, ...openid } = setting.openid;
  const reference = readReference(clientSecret);
  if (reference !== undefined) {
    references['agentSignIn.openid.clientSecret'] = reference;
    secrets.set('agentSignIn.openid.clientSecret', values.get(reference));
  }
  return { setting: { ...setting, openid }, secrets, references };
}
