import { isUuid } from '../lib/ids.ts';

/** The path of the issuer, below which the authorization server answers. */
export const ISSUER_PATH = '/agents';
export const SIGN_IN_PATH = `${ISSUER_PATH}/sign-in`;
/** Where the application's page posts who the person is. */
export const RETURN_PATH = `${ISSUER_PATH}/signed-in`;

/** Where clients register with a project that lets them. */
export const REGISTRATION_PATH = `${ISSUER_PATH}/:projectId/register`;

/** All that there is to ask for: what a client may do is decided by the person and the mandate. */
export const SCOPE = 'mcp';

const RESOURCE_METADATA = '/.well-known/oauth-protected-resource';

export type Addresses = ReturnType<typeof createAddresses>;

/** Where signing in for agents happens, and the resource that stands for a project. */
export function createAddresses(publicUrl: string) {
  const resourceOf = (projectId: string): string => `${publicUrl}/projects/${projectId}/mcp`;
  const issuer = `${publicUrl}${ISSUER_PATH}`;
  const issuerOf = (projectId: string): string => `${issuer}/${projectId}`;
  return {
    publicUrl,
    issuer,
    issuerOf,
    resourceOf,

    /** The project of a resource indicator (RFC 8707), which must be written as the metadata has it. */
    readResource(resource: unknown): string | undefined {
      if (typeof resource !== 'string' || resource.length > publicUrl.length + 60) return undefined;
      const id = resource.slice(`${publicUrl}/projects/`.length, -'/mcp'.length);
      return isUuid(id) && id === id.toLowerCase() && resource === resourceOf(id) ? id : undefined;
    },

    /** RFC 9728 section 5.1: where a client that got a 401 learns how to sign in. */
    challengeOf(projectId: string, error: string | undefined): string {
      const metadata = `${publicUrl}${RESOURCE_METADATA}/projects/${projectId}/mcp`;
      const reason = error === undefined ? '' : `error="${error}", `;
      return `Bearer ${reason}resource_metadata="${metadata}", scope="${SCOPE}"`;
    },

    /**
     * RFC 9728 section 3. A project with which clients register has an issuer of its own: a request to register names no
     * resource. All others have the gateway's, whether there is such a project or not.
     */
    describeResource: (projectId: string, { takesClients }: { readonly takesClients: boolean }) => ({
      resource: resourceOf(projectId),
      authorization_servers: [takesClients ? issuerOf(projectId) : issuer],
      scopes_supported: [SCOPE],
      bearer_methods_supported: ['header'],
      resource_name: 'Integration Gateway',
    }),

    /** RFC 8414 section 2: of the gateway, or of one project. */
    describeServer: (project?: { readonly id: string; readonly takesClients: boolean }) => ({
      ...describeEndpoints(project ? issuerOf(project.id) : issuer),
      ...(project?.takesClients && { registration_endpoint: `${issuerOf(project.id)}/register` }),
      scopes_supported: [SCOPE],
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_methods_supported: ['none'],
      revocation_endpoint_auth_methods_supported: ['none'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
    }),
  };
}

function describeEndpoints(issuer: string) {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    revocation_endpoint: `${issuer}/revoke`,
  };
}
