import { isSignedByAws } from '../catalog/facts/auth-kinds.ts';
import type { Provider } from '../catalog/schema/provider.schema.ts';
import { createAwsSigV4Signer } from './aws-sigv4.ts';
import type { CallSigner } from './call-signer.ts';
import { createJwtPerCallSigner } from './jwt-per-call.ts';
import { createOAuth1Signer } from './oauth1.ts';
import { createWsseSigner } from './wsse.ts';

const signers = new WeakMap<Provider, CallSigner | null>();

/** The signer of a provider whose calls are signed one by one; undefined for all others. */
export function chooseSigner(provider: Provider): CallSigner | undefined {
  const known = signers.get(provider);
  if (known !== undefined) return known ?? undefined;
  const made = createSigner(provider);
  signers.set(provider, made ?? null);
  return made;
}

function createSigner(provider: Provider): CallSigner | undefined {
  if (isSignedByAws(provider) && provider.awsSigV4) {
    return createAwsSigV4Signer(provider.awsSigV4, defaultsOf(provider));
  }
  if (provider.auth === 'oauth1' && provider.oauth1) {
    return createOAuth1Signer(provider.oauth1, defaultsOf(provider));
  }
  if (provider.auth === 'jwt-per-call' && provider.jwtPerCall) {
    return createJwtPerCallSigner(provider.jwtPerCall, provider, defaultsOf(provider));
  }
  if (provider.auth === 'wsse' && provider.wsse) {
    return createWsseSigner(provider.wsse, defaultsOf(provider));
  }
  return undefined;
}

function defaultsOf({ variables }: Provider): Record<string, string> {
  return Object.fromEntries(
    variables.flatMap((variable) =>
      variable.default === undefined ? [] : [[variable.name, variable.default]],
    ),
  );
}
