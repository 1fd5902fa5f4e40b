import { createHmac, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import fc from 'fast-check';
import { z } from 'zod';
import { isRecord } from '../../../src/lib/is-record.ts';
import { ask, toFieldValue } from '../engine/ask.ts';
import type { FuzzStage } from '../engine/stage.ts';
import type { Target } from '../engine/target.ts';
import { type Piece, renderText, type Text, textSchema } from '../engine/text.ts';
import { findPoisoned } from './http.ts';
import { jwtParts } from './jwt-inputs.ts';

const SIGNERS = ['project', 'attacker', 'secret of the public key', 'none', 'cut off', 'DER'] as const;
const SPELLINGS = [
  'plain',
  'padded',
  'standard alphabet',
  'blanks',
  'loose bits',
  'more parts',
  'fewer parts',
] as const;
const DOORS = ['call', 'write', 'management', 'agents'] as const;

const schema = z.strictObject({
  /** The JSON of the first two parts, before it is encoded. */
  header: textSchema,
  payload: textSchema,
  signer: z.enum(SIGNERS),
  spelling: z.enum(SPELLINGS),
  scheme: z.string(),
  door: z.enum(DOORS),
});
export type JwtInput = z.infer<typeof schema>;

const toPieces = (text: Text): Piece[] => [...text];
const inputs: fc.Arbitrary<JwtInput> = fc.record({
  header: jwtParts.header.map(toPieces),
  payload: jwtParts.payload.map(toPieces),
  signer: fc.oneof(
    { weight: 4, arbitrary: fc.constant('project' as const) },
    { weight: 2, arbitrary: fc.constantFrom(...SIGNERS) },
  ),
  spelling: fc.oneof(
    { weight: 6, arbitrary: fc.constant('plain' as const) },
    { weight: 2, arbitrary: fc.constantFrom(...SPELLINGS) },
  ),
  scheme: fc.oneof(
    { weight: 8, arbitrary: fc.constant('Bearer ') },
    {
      weight: 1,
      arbitrary: fc.constantFrom('bearer ', 'Bearer  ', 'Basic ', '', 'Bearer\t', 'DPoP ', 'token '),
    },
  ),
  door: fc.constantFrom(...DOORS),
});

const attacker = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const jwk = JSON.stringify(attacker.publicKey.export({ format: 'jwk' }));

/** User tokens. One that the project's key has not signed, or that does not say what it must, opens no door. */
export const jwtTarget: Target<JwtInput> = {
  name: 'jwt',
  schema,
  inputs,
  statedFaults: new Set(['overloaded']),
  shortCount: 350,
  async send(stage, input) {
    const number = String(stage.nextNumber());
    const now = Math.floor(Date.now() / 1000);
    const values = {
      ...stage.values,
      kid: stage.signer.kid,
      jwk,
      now: String(now),
      soon: String(now + 600),
      past: String(now - 600),
      far: String(now + 10 * 86_400),
    };
    const header = renderText(input.header, values);
    const payload = renderText(input.payload, values);
    const signature = signBy(stage, input.signer, header, payload);
    const token = toFieldValue(spell(input.spelling, header, payload, signature));
    const isCanonical = token === spell('plain', header, payload, signature);
    stage.recorder.takeRequests();
    const answer = await knock(stage, input.door, `${input.scheme}${token}`);
    const reached = stage.recorder.takeRequests();
    const why = isCanonical
      ? findRefusal(stage, input, header, payload)
      : `it is spelled with ${input.spelling}`;
    const isIn = answer.status < 400 || reached.length > 0;
    const faults = [
      ...(isIn && why !== undefined ? [`a token is taken (${answer.status}) although ${why}`] : []),
      ...(await findPoisoned(stage, number)),
    ];
    return { answers: [answer], faults };
  },
};

function knock(stage: FuzzStage, door: JwtInput['door'], credential: string) {
  const fields = [['Authorization', credential]] as const;
  const { proxy, host, project } = stage.values;
  if (door === 'call') return ask(stage.client, host, { method: 'GET', path: `${proxy}/token-test`, fields });
  if (door === 'write')
    return ask(stage.client, host, {
      method: 'POST',
      path: `${proxy}/token-test`,
      fields,
      body: Buffer.from('{}'),
    });
  if (door === 'management')
    return ask(stage.client, host, { method: 'GET', path: '/v1/connections', fields });
  return ask(stage.client, host, {
    method: 'POST',
    path: `/projects/${project}/mcp`,
    fields: [
      ...fields,
      ['Content-Type', 'application/json'],
      ['Accept', 'application/json, text/event-stream'],
    ],
    body: Buffer.from('{"jsonrpc":"2.0","id":1,"method":"ping"}'),
  });
}

const encode = (text: string) => Buffer.from(text, 'utf8').toString('base64url');

function signBy(stage: FuzzStage, signer: JwtInput['signer'], header: string, payload: string): string {
  const signed = `${encode(header)}.${encode(payload)}`;
  if (signer === 'project') return signEs256(signed, stage.signer.privateKey);
  if (signer === 'attacker') return signEs256(signed, attacker.privateKey);
  if (signer === 'none') return '';
  if (signer === 'cut off') return signEs256(signed, stage.signer.privateKey).slice(0, 60);
  if (signer === 'DER')
    return sign('sha256', Buffer.from(signed), stage.signer.privateKey).toString('base64url');
  const pem = createPublicKey(stage.signer.privateKey).export({ type: 'spki', format: 'pem' });
  return createHmac('sha256', pem).update(signed).digest('base64url');
}

function signEs256(signed: string, key: KeyObject): string {
  return sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url');
}

function spell(spelling: JwtInput['spelling'], header: string, payload: string, signature: string): string {
  const [first, second] = [encode(header), encode(payload)];
  if (spelling === 'padded') return `${first}==.${second}=.${signature}`;
  if (spelling === 'standard alphabet')
    return [first, second, signature].join('.').replaceAll('-', '+').replaceAll('_', '/');
  if (spelling === 'blanks') return `${first} .${second}. ${signature}`;
  if (spelling === 'loose bits')
    return `${first}.${second}.${signature.slice(0, -1)}${loosen(signature.at(-1) ?? '')}`;
  if (spelling === 'more parts') return `${first}.${second}.${signature}.${signature}.`;
  return spelling === 'fewer parts' ? `${first}.${second}` : `${first}.${second}.${signature}`;
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** Another character whose bits that count are the same: 64 bytes leave four bits of the last one. */
const loosen = (last: string) => ALPHABET[ALPHABET.indexOf(last) ^ 1] ?? '';

/** Why the token opens no door, as this file reads it, or undefined where it may. */
function findRefusal(stage: FuzzStage, input: JwtInput, header: string, payload: string): string | undefined {
  const [head, claims] = [parse(header), parse(payload)];
  if (input.signer !== 'project') return `its signature is of the kind "${input.signer}"`;
  if (!/^(?:bearer|token)[ \t]+$/i.test(input.scheme) && input.door !== 'call' && input.door !== 'write')
    return `its scheme is "${input.scheme}"`;
  if (head === undefined || claims === undefined) return 'a part is no object';
  if (head.alg !== 'ES256') return `alg is ${JSON.stringify(head.alg)}`;
  const odd = ['crit', 'jku', 'x5u', 'jwk', 'b64', 'zip', 'enc'].find((name) => Object.hasOwn(head, name));
  if (odd === 'crit' || odd === 'b64' || odd === 'jku' || odd === 'x5u' || odd === 'jwk')
    return `its header has ${odd}`;
  return findClaimsRefusal(stage, claims, input.door);
}

function findClaimsRefusal(
  stage: FuzzStage,
  { exp, sub, aud, nbf, authorization_details }: Record<string, unknown>,
  door: JwtInput['door'],
): string | undefined {
  const now = Date.now() / 1000;
  if (typeof exp !== 'number' || exp < now - 60 || exp > now + 2 * 86_400)
    return `exp is ${JSON.stringify(exp)}`;
  if (typeof sub !== 'string' || sub === '' || sub.length > 510) return 'sub is no text';
  if (![aud].flat().includes(stage.project.id)) return 'aud is another';
  if (nbf !== undefined && (typeof nbf !== 'number' || nbf > now + 60))
    return `nbf is ${JSON.stringify(nbf)}`;
  if (authorization_details === undefined || door !== 'write') return undefined;
  const entries = Array.isArray(authorization_details) ? authorization_details : [undefined];
  const isOurs = (entry: unknown) => isRecord(entry) && entry.type === 'gateway_access';
  if (!Array.isArray(authorization_details)) return 'its mandate is no list';
  if (!entries.some(isOurs)) return undefined;
  return entries.some((entry) => isOurs(entry) && isRecord(entry) && entry.access === 'write')
    ? undefined
    : 'its mandate lets nothing be written';
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const json: unknown = JSON.parse(text);
    return isRecord(json) ? json : undefined;
  } catch {
    return undefined;
  }
}
