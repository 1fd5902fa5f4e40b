import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import type { StandIns } from '../catalog/facts/placeholders.ts';
import type { Provider } from '../catalog/schema/provider.schema.ts';
import { placeMember } from './place-member.ts';

const generateKey = promisify(generateKeyPair);

const CURVES: Readonly<Record<string, string>> = { ES256: 'P-256', ES384: 'P-384', ES512: 'P-521' };

const keys = new Map<string, Promise<string>>();

/** A private key (PEM) for an algorithm of RFC 7518 that nothing trusts, made once for each. What it signs is shown as signed, no more. */
export function samplePrivateKey(alg: string): Promise<string> {
  const known = keys.get(alg) ?? generateFor(alg);
  keys.set(alg, known);
  return known;
}

async function generateFor(alg: string): Promise<string> {
  const namedCurve = CURVES[alg];
  const { privateKey } =
    namedCurve === undefined
      ? await generateKey('rsa', { modulusLength: 2048 })
      : await generateKey('ec', { namedCurve });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/** Made-up files for the variables into which users paste one, by name. Of a certificate there is none. */
export async function readSampleFiles(
  provider: Pick<Provider, 'variables' | 'jwt' | 'jwtPerCall'>,
  standIns: StandIns,
): Promise<Record<string, string>> {
  const { jwt, jwtPerCall } = provider;
  const alg = jwt?.alg ?? jwtPerCall?.alg ?? 'RS256';
  const keyTemplate = jwt?.key ?? jwtPerCall?.key;
  const files: Record<string, string> = {};
  for (const { name, input, members = [] } of provider.variables) {
    if (input === 'private-key') files[name] = await samplePrivateKey(alg);
    if (input !== 'json') continue;
    const file: Record<string, unknown> = {};
    for (const path of members) {
      const isKey = keyTemplate === `{${name}.${path}}`;
      placeMember(file, path, isKey ? await samplePrivateKey(alg) : standIns.of(path));
    }
    files[name] = JSON.stringify(file);
  }
  return files;
}
