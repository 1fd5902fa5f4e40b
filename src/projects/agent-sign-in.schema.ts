import { z } from 'zod';
import type { AgentSignIn } from './agent-sign-in.ts';
import { claimText, judgedText } from './texts.schema.ts';
import { validateIssuer, validateReturnUrl } from './web-addresses.ts';

const SCOPES_MAX = 20;
const SECRET_LENGTH_MAX = 2_000;

const PAGE =
  'A page of yours that signs a person in, and posts `state` and a user token whose `nonce` is that state back to `return_to`.';

const openidShape = {
  issuer: z.string().meta({ description: 'As its discovery document names it, to the letter.' }),
  clientId: z.string().meta({
    description:
      'The gateway’s at your provider, with the redirect URI `<PUBLIC_URL>/agents/signed-in/<project id>`.',
  }),
  scopes: z.array(z.string()).meta({ description: 'Asked for besides `openid`.' }),
  userIdClaim: z.string().meta({
    description:
      'The claim of the ID token that is your id of the user. `email` counts only where `email_verified` is true.',
  }),
  mandateId: z.uuid().nullable().meta({
    description:
      'A mandate of the project: the most that agents get. The claims `authorization_details` and `gateway_mandate` of the ID token count as those of a user token.',
  }),
};

const DYNAMIC_REGISTRATION =
  'Clients that have no metadata document may register themselves (RFC 7591): their names are proved by nothing.';

export const agentSignInSchema = z.object({
  page: z
    .string()
    .nullable()
    .meta({ description: `${PAGE} Null with \`openid\`.` }),
  openid: z
    .object({
      ...openidShape,
      hasClientSecret: z.boolean().meta({ description: 'False: a public client, by PKCE alone.' }),
    })
    .nullable()
    .meta({ description: 'Your OpenID provider, which signs persons in. Null with `page`.' }),
  dynamicRegistration: z.boolean().meta({ description: DYNAMIC_REGISTRATION }),
});

const text = (max: number) =>
  z
    .string()
    .regex(/^[\x21-\x7e]+$/, 'Visible ASCII, no blanks')
    .max(max);

/** Exactly one of `page` and `openid`, so that one place says who a person is. */
export function createAgentSignInBody(options: { allowInsecure: boolean }) {
  const openid = z.strictObject({
    issuer: judgedText((value) => validateIssuer(value, options)).meta(openidShape.issuer.meta() ?? {}),
    clientId: text(500).meta(openidShape.clientId.meta() ?? {}),
    clientSecret: z.string().min(1).max(SECRET_LENGTH_MAX).nullable().optional().meta({
      writeOnly: true,
      description: 'Null: a public client. Left out: as it is, for the same issuer and client.',
    }),
    scopes: z
      .array(text(200))
      .max(SCOPES_MAX)
      .default(['email'])
      .meta(openidShape.scopes.meta() ?? {}),
    userIdClaim: claimText
      .max(100)
      .default('sub')
      .meta(openidShape.userIdClaim.meta() ?? {}),
    mandateId: openidShape.mandateId.optional(),
  });
  return z
    .strictObject({
      page: judgedText((value) => validateReturnUrl(value, options))
        .nullable()
        .optional()
        .meta({ description: PAGE }),
      openid: openid
        .nullable()
        .optional()
        .meta({ description: 'Your OpenID provider, in the place of a page.' }),
      dynamicRegistration: z
        .boolean()
        .optional()
        .meta({ description: `${DYNAMIC_REGISTRATION} Default: false.` }),
    })
    .refine(({ page, openid: provider }) => (page == null) !== (provider == null), {
      message: 'Either a page or an OpenID provider',
      path: ['page'],
    });
}

export function toAgentSignInWire(
  setting: AgentSignIn | null,
  hasClientSecret: boolean,
): z.input<typeof agentSignInSchema> | null {
  if (setting === null) return null;
  const { page, openid, dynamicRegistration } = setting;
  return {
    page,
    openid: openid && { ...openid, scopes: [...openid.scopes], hasClientSecret },
    dynamicRegistration,
  };
}
