import { readFileSync } from 'node:fs';
import { importPKCS8, SignJWT } from 'jose';

const { PROJECT_ID, SIGNING_KEY_ID, SIGNING_KEY_FILE } = process.env;
const privateKey = await importPKCS8(readFileSync(SIGNING_KEY_FILE, 'utf8'), 'ES256');

export function userToken(userId) {
  return new SignJWT()
    .setProtectedHeader({ alg: 'ES256', kid: SIGNING_KEY_ID })
    .setAudience(PROJECT_ID)
    .setSubject(userId)
    .setIssuedAt()
    .setExpirationTime('1h')
    .sign(privateKey);
}

console.log(await userToken(process.argv[2]));
