import type { Texts } from '../../../texts/area-texts.ts';
import styles from '../events.module.css';
import type { Destination } from './destination-parts.tsx';

type Kafka = NonNullable<Destination['kafka']>;

/** Whose certificates the brokers' are judged by. */
export function findAuthority(tls: Kafka['tls']): 'none' | 'public' | 'own' {
  if (tls === null) return 'none';
  return tls.ca === null ? 'public' : 'own';
}

/** How a topic is reached, without the password, which nothing tells. */
export function listKafkaFacts(
  { brokers, topic, tls, sasl }: Kafka,
  { kinds, kind, kafka: texts }: Texts['events']['destinations'],
) {
  return [
    [kind, kinds.kafka],
    [texts.topic, <code key="topic">{topic}</code>],
    [
      texts.brokers,
      <span key="brokers" className={styles.types}>
        {brokers.map((broker) => (
          <code key={broker}>{broker}</code>
        ))}
      </span>,
    ],
    [texts.tls, texts.tlsChoices[findAuthority(tls)]],
    [
      texts.sasl,
      sasl === null ? texts.saslChoices.none : `${texts.saslChoices[sasl.mechanism]}, ${sasl.username}`,
    ],
  ] as const;
}
