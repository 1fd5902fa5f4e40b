import { isOfSameServer } from './discovered-server.ts';
import { prepareLogout } from './login.ts';
import { certificateToKeep, type RevocationRequest, tokenToRevoke } from './revocation.ts';
import {
  buildRevocationMessage,
  buildTemplateValues,
  listRevocationSecrets,
  type Target,
} from './token-message.ts';
import { presentedSecret, resolveAddress } from './token-target.ts';

export type TokenRevocation = Target & {
  readonly accessToken: string | null;
  readonly refreshToken: string | null;
};

/**
 * A revocation in the provider's manner (RFC 7009), ready to be sent; undefined where the provider takes no token back,
 * there is none, or its address lacks a variable.
 */
export function prepareRevocation(revocation: TokenRevocation): RevocationRequest | undefined {
  const { provider } = revocation;
  if (provider.logout !== undefined) return prepareLogout(provider.logout, revocation);
  const token = tokenToRevoke(provider, revocation);
  const url = resolveAddress(provider.revocationUrl, revocation);
  if (token === undefined || url === undefined) return undefined;
  if (!isOfSameServer(provider, revocation.variables)) return undefined;
  const { errorCode, errorMeanings, okMember } = provider.tokenResponse;
  return {
    messages: listRevocationSecrets(revocation).flatMap((secret) => {
      const presented = presentedSecret(revocation, secret);
      return presented === undefined ? [] : [buildRevocationMessage(url, revocation, token, presented)];
    }),
    reading: { errorCode, errorMeanings, ...(okMember && { okMember }) },
    ...certificateToKeep(provider, buildTemplateValues(revocation)),
  };
}
