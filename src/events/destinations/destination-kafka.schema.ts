import { z } from 'zod';
import { isStorableText } from '../../lib/storable-text.ts';
import { SASL_MECHANISMS } from '../sending/kafka-place.ts';

const BROKERS_MAX = 10;
const CA_LENGTH_MAX = 64 * 1024;

/** A name or an IPv4 address, and a port. */
const broker = z
  .string()
  .max(260)
  .regex(
    /^[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?:[1-9][0-9]{0,4}$/,
    'Host and port, as in broker.example.com:9093',
  )
  .refine((text) => Number(text.slice(text.lastIndexOf(':') + 1)) < 65_536, 'A port up to 65535')
  .toLowerCase();

const credential = (length: number) => z.string().min(1).max(length).refine(isStorableText);

const password = credential(1_024).optional().meta({
  description:
    'Kept sealed and never shown. Left out of a change, it stays; not where brokers, TLS, mechanism or user change.',
});

const tls = z
  .strictObject({
    ca: z.string().min(1).max(CA_LENGTH_MAX).nullable().default(null).meta({
      description: 'Certificates in PEM that the brokers’ are signed with; null: public authorities.',
    }),
  })
  .nullable()
  .meta({ description: 'Null: without TLS, which needs ALLOW_PRIVATE_NETWORKS.' });

const mechanism = z.enum(SASL_MECHANISMS);
const username = credential(256);

const shape = {
  brokers: z.array(broker).min(1).max(BROKERS_MAX).meta({
    description:
      'Host and port of brokers, which tell the others. The addresses of all of them have to be public, also of those that the cluster names.',
  }),
  topic: z
    .string()
    .regex(/^(?!\.{1,2}$)[A-Za-z0-9._-]{1,249}$/, 'A name of a topic')
    .meta({ description: 'It has to be there: none is created.' }),
};

/** A topic of Kafka, or of what speaks its protocol, as requests say it. */
export const kafkaBody = z.strictObject({
  ...shape,
  tls: tls.default({ ca: null }),
  sasl: z.strictObject({ mechanism, username, password }).nullable().default(null),
});

export type KafkaBody = z.output<typeof kafkaBody>;

export const kafkaSchema = z
  .object({
    ...shape,
    tls: z.object({ ca: z.string().nullable() }).nullable(),
    sasl: z.object({ mechanism, username: z.string() }).nullable(),
  })
  .meta({ id: 'KafkaTopic' });
