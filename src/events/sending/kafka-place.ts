export const SASL_MECHANISMS = ['plain', 'scram-sha-256', 'scram-sha-512'] as const;

export type SaslMechanism = (typeof SASL_MECHANISMS)[number];

/** A topic of a cluster, without the password. */
export type KafkaPlace = Readonly<{
  /** Host and port of brokers that tell the others. */
  brokers: readonly string[];
  topic: string;
  /** Null: without TLS. `ca`: certificates in PEM, in the place of the public authorities. */
  tls: Readonly<{ ca: string | null }> | null;
  sasl: Readonly<{ mechanism: SaslMechanism; username: string }> | null;
}>;

/** How a topic is shown where a URL is expected. */
export function formatPlace({ brokers, topic }: Pick<KafkaPlace, 'brokers' | 'topic'>): string {
  return `kafka://${brokers[0]}/${topic}`;
}
