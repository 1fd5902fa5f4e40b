import { generateKeyPairSync, sign, verify } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashHex, releaseFolder } from './packages.ts';

/**
 * A step of the release: <folder>/provenance.dsse.json, the statement in an envelope (DSSE) that is signed with a key made for this
 * run and forgotten. It shows that the files are of one run, not whose: that is what the workflow has Sigstore sign.
 */
const TYPE = 'application/vnd.in-toto+json';
const folder = releaseFolder();
const payload = readFileSync(join(folder, 'provenance.json'));
const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const key = publicKey.export({ type: 'spki', format: 'pem' });
// The pre-authentication encoding of the DSSE protocol.
const signed = Buffer.concat([Buffer.from(`DSSEv1 ${TYPE.length} ${TYPE} ${payload.length} `), payload]);
const signature = sign(null, signed, privateKey);
if (!verify(null, signed, publicKey, signature)) throw new Error('The signature does not verify.');
const envelope = {
  payloadType: TYPE,
  payload: payload.toString('base64'),
  signatures: [{ keyid: hashHex('sha256', key.toString()), sig: signature.toString('base64') }],
};
writeFileSync(join(folder, 'provenance.dsse.json'), `${JSON.stringify(envelope, null, 2)}\n`);
writeFileSync(join(folder, 'provenance.pub'), key);
console.log('provenance.dsse.json: signed with a throw-away key');
