import { z } from 'zod';
import { providerFileSchema } from '../catalog/schema/provider.schema.ts';
import { CLIENT_ORIGINS } from '../oauth/discovered-server.ts';
import { catalogProvider } from './catalog.schema.ts';

/** The fields of a provider file as the API reference shows them. What comes is judged by the loader of such files. */
const { properties: fields = {} } = z.toJSONSchema(providerFileSchema, {
  io: 'input',
  unrepresentable: 'any',
});

export const createProviderBody = z.looseObject({ projectId: z.uuid().optional() }).meta({
  id: 'CreateProvider',
  description:
    'The fields of a provider file, as JSON. `id`, `name`, `auth` and `apiBaseUrl` are needed; of an MCP server `name` and `mcp.url` alone.',
  properties: { projectId: { type: 'string', format: 'uuid' }, ...fields },
  required: ['name'],
  additionalProperties: false,
});

export const updateProviderBody = z.looseObject({}).meta({
  id: 'UpdateProvider',
  description: 'Fields of a provider file, each in the place of the one before; null takes a field away.',
  properties: fields,
  additionalProperties: false,
});

export const createProviderQuery = z.strictObject({
  dryRun: z
    .enum(['true', 'false'])
    .default('false')
    .meta({ description: '`true`: nothing is stored; the reply shows what would be sent to the provider.' }),
});

const sentRequest = z
  .object({
    method: z.string(),
    url: z.string(),
    headers: z.record(z.string(), z.string()),
    body: z.string().nullable(),
  })
  .meta({ id: 'ProviderRequest' });

const sent = (description: string) => sentRequest.nullable().meta({ description });

const providerDiscovery = z
  .object({
    steps: z.array(
      z.object({
        method: z.string(),
        url: z.string(),
        status: z.number().nullable().meta({ description: 'Null where there was no answer.' }),
        result: z.string(),
      }),
    ),
    fault: z.string().nullable().meta({ description: 'Why no authorization server was found.' }),
    issuer: z.string().nullable(),
    resource: z.string().nullable(),
    scopes: z.array(z.string()),
    clientBy: z.enum(CLIENT_ORIGINS).nullable().meta({
      description: 'How an integration would get its client there; `operator`: it has to bring one.',
    }),
  })
  .meta({ id: 'ProviderDiscovery' });

/** Secrets and values that change each time stand as `<clientSecret>`, `<accessToken>`, `<state>`. */
export const providerDryRun = z
  .object({
    provider: catalogProvider,
    requests: z.object({
      registration: sent('The gateway’s own client, at the authorization server of an MCP server.'),
      temporaryToken: sent('Temporary credentials of OAuth 1.0a, before the user is asked.'),
      authorization: sent('What the browser of the user is sent to; null where no browser is sent anywhere.'),
      logIn: z.array(sentRequest).meta({
        description:
          'Every request of a log-in with a password or a key, in order; empty where there is none.',
      }),
      token: sent('The code, or the client’s own credentials, for tokens.'),
      tokenExchange: sent('The second request, where the provider has one.'),
      refresh: sent('A new access token.'),
      revocation: sent('Giving a grant back.'),
      probe: sent('What proves a credential, where it is not the account call.'),
      account: sent('Whose account it is.'),
      call: sent('A proxied call of `GET /example?page=1`.'),
    }),
    discovery: providerDiscovery
      .nullable()
      .meta({ description: 'What an MCP server answered when it was asked; null for all others.' }),
    notes: z.array(z.string()).meta({ description: 'What could not be shown, and why.' }),
  })
  .meta({ id: 'ProviderDryRun' });

export type ProviderRequest = z.infer<typeof sentRequest>;
export type ProviderRequests = z.infer<typeof providerDryRun>['requests'];
/** What a provider would be sent, and what could not be shown. */
export type ProviderDiscovery = z.infer<typeof providerDiscovery>;
export type DryRun = {
  readonly requests: ProviderRequests;
  readonly discovery: ProviderDiscovery | null;
  readonly notes: readonly string[];
};
