import { isRecord } from '../lib/is-record.ts';
import type { ConfigurationDocument } from './document.schema.ts';
import type { Fields } from './objects.ts';
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

type GivenDestination = Omit<ConfigurationDocument['destinations'][number], 'name' | 'formerName'>;

/** Where the password for a topic of Kafka stands. */
export const KAFKA_PASSWORD = 'kafka.sasl.password';

/** A destination without the password for its topic, which stands beside it by reference. */
export function wantDestination(
  values: ReadonlyMap<Reference, string>,
  { kind, url, kafka, ...rest }: GivenDestination,
) {
  const secrets = new Map<string, string | undefined>();
  const references: Record<string, Reference> = {};
  if (kafka === null) return { fields: { url, ...rest }, secrets, references };
  const { password, ...sasl } = kafka.sasl ?? {};
  const reference = readReference(password);
  if (reference !== undefined) {
    references[KAFKA_PASSWORD] = reference;
    secrets.set(KAFKA_PASSWORD, values.get(reference));
  }
  const fields: Fields = { kind, kafka: { ...kafka, sasl: kafka.sasl && sasl }, ...rest };
  return { fields, secrets, references };
}
