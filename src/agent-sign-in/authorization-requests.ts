import type { Configuration, Context } from 'oidc-provider';
import { SCOPE } from './addresses.ts';

/**
 * A client is answered in the query of a redirect, as the metadata say. The library knows other ways: one is a page of this
 * origin that posts to an address of a stranger's document, which would pass for a form of the gateway's own.
 */
export function refuseOtherModes(context: Context): void {
  const { response_mode: mode } = context.query;
  if (mode !== undefined && mode !== 'query') context.query = { ...context.query, response_mode: 'none' };
}

/**
 * There is one scope, whatever a client asks for: the library grants nothing to one that names none, or others. By a parameter that
 * no client sends it is set in each request.
 */
export const grantScope: Configuration['extraParams'] = {
  gateway_scope({ oidc }: Context): void {
    if (oidc?.params !== undefined) oidc.params.scope = SCOPE;
  },
};
