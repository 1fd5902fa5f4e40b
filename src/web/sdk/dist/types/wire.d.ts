/** One account of a user at a provider, as the gateway's API shows it. */
export type Connection = {
    readonly id: string;
    readonly projectId: string;
    readonly integrationId: string;
    readonly integrationUserId: string;
    /** The provider's short name, as in the proxy's addresses. */
    readonly serviceProvider: string;
    /** The user's id in your application. */
    readonly userId: string;
    readonly status: 'active' | 'reauthorization_required';
    readonly statusReason: string | null;
    readonly grantedScopes: readonly string[];
    readonly accountId: string | null;
    readonly accountName: string | null;
    readonly customMetadata: Readonly<Record<string, unknown>>;
    readonly lastUsedAt: string | null;
    readonly expiresAt: string | null;
    readonly createdAt: string;
    readonly updatedAt: string;
};
/** A provider as your project uses it, with what a list or a button shows of it. */
export type Integration = Omit<Listed, keyof ProviderFace> & ProviderFace;
/** How a provider, or an integration with a name and a logo of its own, presents itself. */
export type ProviderFace = {
    /** Such as `HubSpot`. */
    readonly name: string;
    /** A square picture. Null for a provider that is no longer known. */
    readonly logoUrl: string | null;
};
type Listed = {
    readonly id: string;
    readonly projectId: string;
    /** The provider's short name, as in `connect` and `fetch`. */
    readonly serviceProvider: string;
    readonly name: string | null;
    readonly logoUrl: string | null;
    readonly scopes: readonly string[];
    readonly optionalScopes: readonly string[];
    readonly createdAt: string;
    readonly updatedAt: string;
};
export type ConnectionPage = {
    readonly connections: readonly Connection[];
    readonly nextCursor: string | null;
};
export type IntegrationPage = {
    readonly integrations: readonly Listed[];
    readonly nextCursor: string | null;
};
export type ProviderPage = {
    readonly providers: readonly (ProviderFace & {
        readonly id: string;
    })[];
    readonly nextCursor: string | null;
};
export type ConnectSession = {
    readonly id: string;
    readonly url: string;
    readonly expiresAt: string;
};
export {};
