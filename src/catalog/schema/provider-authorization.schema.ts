import { z } from 'zod';
import { parameterName } from './provider-fields.schema.ts';

/** What a provider file says of the way to the authorization page and back. */
export const authorizationFields = {
  issuer: z.string().optional(),
  /** The provider always sends `iss` in its authorization response (RFC 9207 2.3): one without it is refused. */
  issuerAlwaysSent: z.boolean().default(false),
  scopeParameter: z.string().default('scope'),
  optionalScopeParameter: z.string().optional(),
  /** How granted scopes are compared with those that were asked for, where the provider writes them otherwise. */
  scopeComparison: z
    .strictObject({
      ignoreCase: z.literal(true).optional(),
      /** Beginnings that a scope may have or not: `https://graph.microsoft.com/`. */
      prefixes: z.array(z.string().min(1).max(200)).max(10).optional(),
      /** Another name of a scope, after its beginning, and the one that it is compared as. */
      aliases: z.record(z.string().min(1).max(200), z.string().min(1).max(200)).optional(),
      /** Scopes that another one contains, and that the answer then leaves out; one `*` stands for the same on both sides. */
      covers: z.record(z.string().min(1).max(200), z.array(z.string().min(1).max(200)).max(30)).optional(),
    })
    .prefault({}),
  /** Name of the client id in the authorization request. `tokenRequest.parameterNames` has the other one. */
  clientIdParameter: z.string().default('client_id'),
  redirectUriParameter: z.string().default('redirect_uri'),
  /** What is sent as redirect URI where the provider wants a name registered for it (eBay's RuName): `{ruName}`. */
  redirectUriTemplate: z.string().optional(),
  responseType: z.string().default('code'),
  /** `form_post`: the provider answers with a POST to the redirect URI. Sent as response_mode. */
  responseMode: z.enum(['form_post']).optional(),
  /** A fragment at the end of the authorization request (`wechat_redirect`). */
  authorizationFragment: z.string().optional(),
  /** What the provider's authorization response looks like where that is not RFC 6749 4.1.2. */
  callback: z
    .strictObject({
      codeParameter: parameterName.default('code'),
      /** HMAC with the client secret over the other parameters, sorted and joined as a query (Shopify). */
      signature: z
        .strictObject({ parameter: parameterName, algorithm: z.enum(['sha256']).default('sha256') })
        .optional(),
      /**
       * Parameters that repeat what was asked for: templates over the variables (Shopify's shop). An answer that says
       * otherwise is refused, upper and lower case aside.
       */
      mustMatch: z.record(parameterName, z.string().min(1)).default({}),
    })
    .prefault({}),
};
