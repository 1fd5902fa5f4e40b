import type { Texts } from '../../../texts/area-texts.ts';
import styles from '../events.module.css';
import type { Destination } from './destination-parts.tsx';

/** How a topic is reached, without the password, which nothing tells. */
export function listKafkaFacts(
  { brokers, topic, tls, sasl }: NonNullable<Destination['kafka']>,
  { kinds, kind, kafka: texts }: Texts['events']['destinations'],
) {
  const authority = tls === null ? 'none' : tls.ca === null ? 'public' : 'own';
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
    [texts.tls, texts.tlsChoices[authority]],
    [
      texts.sasl,
      sasl === null ? texts.saslChoices.none : `${texts.saslChoices[sasl.mechanism]}, ${sasl.username}`,
    ],
  ] as const;
}
