import type { Provider } from '../catalog/schema/provider.schema.ts';
import { listPlaceholders } from '../lib/template.ts';
import type { OutboundRequest } from '../platform/outbound.ts';
import { createAwsSigV4Signer } from '../request-signing/aws-sigv4.ts';
import { signWhereWanted } from '../request-signing/own-message.ts';

type Step = NonNullable<Provider['login']>['steps'][number];
type Values = Readonly<Record<string, string>>;

const SIGNED_BODY_BYTES_MAX = 64 * 1024;

/** A request of a log-in with its signature, where the file wants one; undefined where a value for it is missing. */
export function signLoginStep(
  { awsSigV4 }: Step,
  message: OutboundRequest,
  values: Values,
  nowMs: number,
): OutboundRequest | undefined {
  if (awsSigV4 === undefined) return message;
  const none = { sessionToken: '', serviceNames: {}, hosts: {}, unsignedPayload: false };
  const rules = { ...awsSigV4, ...none, bodyBytesMax: SIGNED_BODY_BYTES_MAX };
  return signWhereWanted(createAwsSigV4Signer(rules, {}), message, { values, nowMs });
}

/**
 * True where an answer tells a session without all of the key that signs calls of it: half of a new key beside half of
 * the one before would sign nothing.
 */
export function lacksKeyOfCalls({ awsSigV4, variables }: Provider, received: Values): boolean {
  if (awsSigV4 === undefined) return false;
  const { accessKeyId, secretAccessKey } = awsSigV4;
  const named = [accessKeyId, secretAccessKey].flatMap(listPlaceholders);
  return variables.some(
    ({ name, from }) => from === 'token-response' && named.includes(name) && !Object.hasOwn(received, name),
  );
}
