/** One account of a user at a provider, as the gateway's API shows it. */
export type Connection = {
    readonly id: string;
    readonly projectId: string;
    readonly integrationId: string;
    readonly integrationUserId: string;
    /** The provider's short name, as in the proxy's addresses. */
    readonly serviceProvider: string;
    /** The user's id in your application: whose it is, or of an organization's connection, who connected it; empty once that is unknown. */
    readonly userId: string;
    readonly owner: {
        readonly type: 'user' | 'organization';
        readonly id: string;
    };
    readonly tags: Readonly<Record<string, string>>;
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
/** A call of an agent that a person decides about. */
export type Approval = {
    readonly id: string;
    readonly state: 'pending' | 'approved' | 'rejected' | 'expired' | 'used';
    /** `once`: later calls of the agent's token by the same entry of its mandate pass as well. */
    readonly mode: 'once' | 'each';
    readonly integrationId: string;
    readonly connectionId: string;
    readonly serviceProvider: string;
    readonly method: string;
    readonly createdAt: string;
    readonly expiresAt: string;
    readonly decidedAt: string | null;
    /** Who asks, as the agent's token says. */
    readonly asker: {
        readonly client: string | null;
        readonly actors: readonly {
            readonly id: string;
            readonly name: string | null;
        }[];
        /** What an MCP client calls itself, which nothing vouches for. */
        readonly declaredClient: string | null;
    } | null;
    /** Null once it has ended. `get` alone has header fields and the body itself. */
    readonly call: {
        readonly host: string | null;
        readonly path: string;
        readonly query: string;
        readonly headers?: readonly {
            readonly name: string;
            readonly value: string;
        }[];
        readonly body: {
            readonly bytes: number;
            /** Null where it is not UTF-8. */
            readonly text?: string | null;
            readonly base64?: string;
        };
    } | null;
};
/** What the user has allowed an agent that they signed in to. */
export type AgentConsent = {
    readonly id: string;
    readonly userId: string;
    readonly client: {
        readonly id: string;
        /** What the agent calls itself. Show it as text, never as markup. */
        readonly name: string | null;
        /** Where its description stands, which is proved; null where it registered itself. */
        readonly host: string | null;
    };
    /** `read`: nothing is changed, whatever its mandate allows beyond that. */
    readonly access: 'read' | 'all';
    readonly createdAt: string;
    readonly usedAt: string;
};
export type AgentConsentPage = {
    readonly consents: readonly AgentConsent[];
    readonly nextCursor: string | null;
};
/** One thing that a token may do: an entry of a mandate. */
export type MandateEntry = {
    readonly type: 'gateway_access';
    readonly provider: string;
    readonly access: 'read' | 'write';
    readonly connectionId?: string;
    readonly hosts?: readonly string[];
    readonly methods?: readonly ('GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS')[];
    readonly paths?: readonly string[];
    readonly approval?: 'none' | 'once' | 'each';
    readonly perHour?: number;
};
export type ApprovalPage = {
    readonly approvals: readonly Approval[];
    readonly nextCursor: string | null;
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
