import { createHash, randomBytes } from 'node:crypto';
import { withDefaults } from '../catalog/facts/template-values.ts';
import type { WsseRules } from '../catalog/schema/provider-signing.schema.ts';
import { fillTemplate } from '../lib/template.ts';
import type { CallSigner } from './call-signer.ts';
import { isSendable, withoutFields } from './fields.ts';
import { incompleteCredentialError } from './signing-errors.ts';

type Texts = Readonly<Record<string, string>>;

const FIELD = 'X-WSSE';
const REPLACED = new Set(['authorization', FIELD.toLowerCase()]);

/**
 * Names the user of a call in `X-WSSE`, with a digest of a fresh nonce, the time and the secret (UsernameToken,
 * https://www.xml.com/pub/a/2003/12/17/dive.html). It says nothing of the call, so bodies stream. `defaults` are values
 * of variables that a connection lacks. `createNonce` gives 32 hexadecimal digits.
 */
export function createWsseSigner(
  rules: WsseRules,
  defaults: Texts,
  createNonce: () => string = () => randomBytes(16).toString('hex'),
): CallSigner {
  return {
    bodyBytesMax: 0,
    bodyUse: () => 'streams',
    sign({ target, fields, values, nowMs }) {
      const known = withDefaults(defaults, values);
      const username = fillTemplate(rules.username, known);
      const secret = fillTemplate(rules.secret, known);
      if (!username || !secret || !isQuotable(username)) throw incompleteCredentialError();
      const nonce = createNonce();
      const created = `${new Date(nowMs).toISOString().slice(0, 19)}Z`;
      const digest = digestOf(rules, nonce + created + secret);
      const token = `UsernameToken Username="${username}", PasswordDigest="${digest}", Nonce="${nonce}", Created="${created}"`;
      return { target, fields: [...withoutFields(fields, REPLACED), FIELD, token] };
    },
  };
}

/** A quote or a backslash would end or change the text in which the name stands. */
function isQuotable(username: string): boolean {
  return isSendable(username) && !/["\\]/.test(username);
}

function digestOf({ digest }: WsseRules, text: string): string {
  const hash = createHash('sha1').update(text);
  return digest === 'bytes' ? hash.digest('base64') : Buffer.from(hash.digest('hex')).toString('base64');
}
