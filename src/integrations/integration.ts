import type { DiscoveredServer } from '../oauth/discovered-server.ts';
import type { IntegrationSettings } from './integrations.schema.ts';

/** An integration as the rest of the gateway knows it. It holds no secret; `openSecrets` reads those. */
export type Integration = Readonly<{
  id: string;
  projectId: string;
  serviceProvider: string;
  /** What end users read instead of the provider's name; null: that. */
  name: string | null;
  /** Of the logo that the operator gave it, of which another one has another; null: the provider's logo. */
  logoHash: string | null;
  /** Which of the provider's grants it uses; null: the provider's own. */
  grant: string | null;
  clientId: string | null;
  scopes: string[];
  optionalScopes: string[];
  variables: Record<string, string>;
  settings: IntegrationSettings;
  /** It has a callback address of its own, whatever its provider's id. */
  hasOwnCallback: boolean;
  /** Why and since when it is switched off; null: it is not. */
  disabled: { readonly reason: string; readonly at: Date } | null;
  /** What its MCP server named; null before it was asked, and for other providers. */
  authorizationServer: DiscoveredServer | null;
  /** The version of an organization's OAuth client that stands in the place of its own; null: its own does. */
  organizationClient: { readonly versionId: string; readonly organization: string } | null;
  version: number;
  createdAt: Date;
  createdBy: string;
  updatedAt: Date;
  updatedBy: string;
}>;

export type NewIntegration = Omit<
  Integration,
  | 'id'
  | 'name'
  | 'logoHash'
  | 'version'
  | 'createdAt'
  | 'updatedAt'
  | 'updatedBy'
  | 'hasOwnCallback'
  | 'disabled'
  | 'authorizationServer'
  | 'organizationClient'
> & {
  name?: string | null;
  hasOwnCallback?: boolean;
  clientSecret: string | null;
  webhookSecret: string | null;
  /** Those of its variables that are part of a credential. */
  secretVariables?: Record<string, string>;
};

/** A field that is undefined stays as it is. */
export type IntegrationChange = {
  [Field in
    | 'name'
    | 'logoHash'
    | 'grant'
    | 'clientId'
    | 'scopes'
    | 'optionalScopes'
    | 'variables'
    | 'settings'
    | 'hasOwnCallback']?: Integration[Field] | undefined;
} & {
  /** Null: it is switched on again. */
  disabled?: { readonly reason: string } | null | undefined;
  clientSecret?: string | undefined;
  webhookSecret?: string | null | undefined;
  /** Merged into those that are there, which no caller can read to send them along. */
  secretVariables?: Record<string, string> | undefined;
  updatedBy: string;
};
