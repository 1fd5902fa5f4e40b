import { X509Certificate } from 'node:crypto';
import type { InputFault } from '../../http/errors.ts';
import type { KafkaPlace } from '../sending/kafka-place.ts';
import type { KafkaBody } from './destination-kafka.schema.ts';
import { isPrivateHost, type UrlRules } from './destination-url.ts';

/** What is wrong with a topic that a request names. The addresses of brokers are judged at every connection. */
export function listKafkaFaults(
  given: KafkaBody,
  current: KafkaPlace | null,
  { allowPrivateNetworks }: UrlRules,
): InputFault[] {
  const faults: InputFault[] = [];
  const fault = (path: string, message: string) => faults.push({ path: `body.kafka.${path}`, message });
  for (const [index, broker] of given.brokers.entries()) {
    const host = broker.slice(0, broker.lastIndexOf(':'));
    if (!allowPrivateNetworks && isPrivateHost(host))
      fault(`brokers.${index}`, 'not a private, loopback or metadata address');
  }
  if (given.tls === null && !allowPrivateNetworks) fault('tls', 'TLS is required');
  if (typeof given.tls?.ca === 'string' && !isCertificate(given.tls.ca))
    fault('tls.ca', 'no certificate in PEM');
  if (given.sasl !== null && given.sasl.password === undefined && !isSameDoor(given, current))
    fault('sasl.password', 'needed with a new user, or with other brokers or TLS');
  return faults;
}

/** The topic without the password, which stands in a column of its own. */
export function toPlace({ brokers, topic, tls, sasl }: KafkaBody): KafkaPlace {
  const { mechanism, username } = sasl ?? {};
  const user = mechanism === undefined || username === undefined ? null : { mechanism, username };
  return { brokers, topic, tls, sasl: user };
}

/** Brokers that did not have the password before get it of the operator alone. */
function isSameDoor(given: KafkaBody, current: KafkaPlace | null): boolean {
  if (current === null || current.sasl === null) return false;
  const doorOf = ({ brokers, tls, sasl }: Pick<KafkaPlace, 'brokers' | 'tls' | 'sasl'>) =>
    JSON.stringify([brokers, tls === null, tls?.ca, sasl?.mechanism, sasl?.username]);
  return doorOf(given) === doorOf(current);
}

function isCertificate(text: string): boolean {
  try {
    new X509Certificate(text);
  } catch {
    return false;
  }
  return true;
}
