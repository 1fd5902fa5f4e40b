import { readFileSync } from 'node:fs';
import jwt from 'jsonwebtoken';

const { PROJECT_ID, SIGNING_KEY_ID, SIGNING_KEY_FILE } = process.env;
const privateKey = readFileSync(SIGNING_KEY_FILE, 'utf8');

export function userToken(userId) {
  return jwt.sign({}, privateKey, {
    algorithm: 'ES256',
    keyid: SIGNING_KEY_ID,
    audience: PROJECT_ID,
    subject: userId,
    expiresIn: '1h',
  });
}

console.log(userToken(process.argv[2]));
