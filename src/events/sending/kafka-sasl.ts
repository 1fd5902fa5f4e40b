import { createHash, createHmac, pbkdf2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import type { AuthenticationProviderArgs, Mechanism } from 'kafkajs';
import type { KafkaTarget } from './sender.ts';

/** RFC 5802 with the digests of RFC 7677. */
const DIGESTS = { plain: null, 'scram-sha-256': 'sha256', 'scram-sha-512': 'sha512' } as const;
/**
 * The broker chooses how often the password is hashed, on a thread that other work needs as well: 4,096 times is what Kafka
 * does, and half a million takes about as long as an attempt may.
 */
const ITERATIONS = { min: 4_096, max: 500_000 };
const NO_BINDING = 'n,,';
const LENGTH_BYTES = 4;

const hash = promisify(pbkdf2);

type Sasl = NonNullable<KafkaTarget['sasl']>;
type Exchange = (message: string) => Promise<string>;

/** A broker takes the user or the password for wrong, or proves not to know it. */
export class AuthenticationRefused extends Error {}

/** How the client proves who it is. The client's own SCRAM lets a broker choose any number of iterations. */
export function createSasl(sasl: Sasl): Mechanism {
  return {
    mechanism: sasl.mechanism,
    authenticationProvider: ({ saslAuthenticate }) => ({
      async authenticate() {
        try {
          await prove(sasl, createExchange(saslAuthenticate));
        } catch (error) {
          const code = error instanceof Error && 'type' in error ? error.type : undefined;
          throw Object.assign(new AuthenticationRefused('authentication failed'), { type: code });
        }
      },
    }),
  };
}

function createExchange(saslAuthenticate: AuthenticationProviderArgs['saslAuthenticate']): Exchange {
  return async (message) => {
    const bytes = Buffer.from(message);
    const framed = Buffer.concat([Buffer.alloc(LENGTH_BYTES), bytes]);
    framed.writeInt32BE(bytes.length, 0);
    const answer = await saslAuthenticate<string>({
      request: { encode: () => framed },
      response: {
        decode: (raw) => raw,
        parse: (raw) => raw.subarray(LENGTH_BYTES).toString('utf8'),
      },
    });
    return answer ?? '';
  };
}

async function prove({ mechanism, username, password }: Sasl, exchange: Exchange): Promise<void> {
  const digest = DIGESTS[mechanism];
  if (digest === null) await exchange(`\0${username}\0${password}`);
  else await proveByScram(digest, { username, password }, exchange);
}

async function proveByScram(
  digest: 'sha256' | 'sha512',
  { username, password }: { readonly username: string; readonly password: string },
  exchange: Exchange,
): Promise<void> {
  const hmac = (key: Buffer, text: string) => createHmac(digest, key).update(text).digest();
  const nonce = randomBytes(18).toString('base64');
  const first = `n=${username.replaceAll('=', '=3D').replaceAll(',', '=2C')},r=${nonce}`;
  const challenge = await exchange(`${NO_BINDING}${first}`);
  const { r = '', s = '', i = '' } = readAttributes(challenge);
  const iterations = Number(i);
  const isUsual =
    Number.isInteger(iterations) && iterations >= ITERATIONS.min && iterations <= ITERATIONS.max;
  if (!isUsual || !r.startsWith(nonce)) throw new Error('unusual challenge');

  const length = digest === 'sha256' ? 32 : 64;
  const salted = await hash(password, Buffer.from(s, 'base64'), iterations, length, digest);
  const binding = `c=${Buffer.from(NO_BINDING).toString('base64')},r=${r}`;
  const signed = `${first},${challenge},${binding}`;
  const clientKey = hmac(salted, 'Client Key');
  const signature = hmac(createHash(digest).update(clientKey).digest(), signed);
  const proof = Buffer.from(clientKey.map((byte, index) => byte ^ (signature[index] ?? 0)));
  const end = readAttributes(await exchange(`${binding},p=${proof.toString('base64')}`));
  const expected = hmac(hmac(salted, 'Server Key'), signed);
  const given = Buffer.from(end.v ?? '', 'base64');
  if (given.length !== expected.length || !timingSafeEqual(given, expected))
    throw new Error('the broker does not know the password');
}

function readAttributes(text: string): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(text.split(',').map((part) => [part.slice(0, 1), part.slice(2)]));
}
