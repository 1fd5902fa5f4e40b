import { NativeSelect, PasswordInput, TagsInput, Textarea, TextInput } from '@mantine/core';
import { useTexts } from '../../../texts/texts.tsx';
import { type Form, listOptions } from '../../../ui/form.ts';
import type { Destination } from './destination-parts.tsx';
import { findAuthority } from './kafka-facts.tsx';

type Kafka = NonNullable<Destination['kafka']>;
type Mechanism = NonNullable<Kafka['sasl']>['mechanism'];

export type KafkaValues = {
  brokers: string[];
  topic: string;
  tls: 'public' | 'own' | 'none';
  ca: string;
  sasl: 'none' | Mechanism;
  username: string;
  password: string;
};

export const NEW_KAFKA: KafkaValues = {
  brokers: [],
  topic: '',
  tls: 'public',
  ca: '',
  sasl: 'none',
  username: '',
  password: '',
};

/** What the API calls the fields. */
export const KAFKA_MEMBERS = {
  'kafka.brokers': 'brokers',
  'kafka.topic': 'topic',
  'kafka.tls': 'tls',
  'kafka.tls.ca': 'ca',
  'kafka.sasl': 'sasl',
  'kafka.sasl.username': 'username',
  'kafka.sasl.password': 'password',
} as const;

export function readKafka(kafka: Destination['kafka']): KafkaValues {
  if (kafka === null) return NEW_KAFKA;
  const { brokers, topic, tls, sasl } = kafka;
  return {
    ...{ brokers, topic, password: '' },
    tls: findAuthority(tls),
    ca: tls?.ca ?? '',
    sasl: sasl?.mechanism ?? 'none',
    username: sasl?.username ?? '',
  };
}

export function buildKafka({ brokers, topic, tls, ca, sasl, username, password }: KafkaValues) {
  const user = { username, ...(password !== '' && { password }) };
  return {
    ...{ brokers, topic: topic.trim() },
    tls: tls === 'none' ? null : { ca: tls === 'own' ? ca : null },
    sasl: sasl === 'none' ? null : { mechanism: sasl, ...user },
  };
}

/** Which topic, and how its brokers are reached. */
export function KafkaFields({ form, isNew }: { form: Form<KafkaValues>; isNew: boolean }) {
  const { events } = useTexts();
  const texts = events.destinations.kafka;
  const { tls, sasl } = form.values;
  return (
    <>
      <TagsInput
        label={texts.brokers}
        description={texts.brokersHint}
        placeholder="broker.example.com:9093"
        splitChars={[',', ' ']}
        {...form.getValueProps('brokers')}
      />
      <TextInput
        label={texts.topic}
        description={texts.topicHint}
        required
        maxLength={249}
        {...form.getInputProps('topic')}
      />
      <NativeSelect label={texts.tls} data={listOptions(texts.tlsChoices)} {...form.getInputProps('tls')} />
      {tls === 'own' && (
        <Textarea
          label={texts.ca}
          required
          rows={4}
          placeholder="-----BEGIN CERTIFICATE-----"
          spellCheck={false}
          {...form.getInputProps('ca')}
        />
      )}
      <NativeSelect
        label={texts.sasl}
        data={listOptions(texts.saslChoices)}
        {...form.getInputProps('sasl')}
      />
      {sasl !== 'none' && (
        <>
          <TextInput
            label={texts.username}
            required
            maxLength={256}
            autoComplete="off"
            {...form.getInputProps('username')}
          />
          <PasswordInput
            label={texts.password}
            description={isNew ? undefined : texts.passwordHint}
            required={isNew}
            autoComplete="off"
            {...form.getInputProps('password')}
          />
        </>
      )}
    </>
  );
}
