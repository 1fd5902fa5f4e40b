import { request } from './client.ts';
import { untypedQuery } from './queries.ts';

/**
 * Operations by their agreed shape, for as long as the OpenAPI document of this branch lacks them. When it has one, use
 * `api` and `apiQuery` and delete it here.
 */
export type Operator = {
  readonly id: string;
  readonly email: string;
  readonly name: string | null;
  readonly language: string | null;
  readonly createdAt: string;
  readonly hasPassword: boolean;
  readonly otpEnabled: boolean;
  readonly singleSignOn: boolean;
  readonly gatewayOwner: boolean;
};

export type Session = {
  readonly id: string;
  readonly createdAt: string;
  readonly lastUsedAt: string;
  readonly expiresAt: string;
  readonly sourceAddress: string | null;
  readonly userAgent: string | null;
  readonly current: boolean;
  readonly operator: Operator;
};

export type SignInOptions = {
  /** The gateway has its first operator. */
  readonly setUp: boolean;
  readonly singleSignOn: { readonly url: string } | null;
  readonly mail: boolean;
};

export type Role = 'owner' | 'admin' | 'viewer';

export type InvitationLookup = {
  readonly project: { readonly id: string; readonly name: string };
  readonly email: string;
  readonly role: Role;
  readonly hasAccount: boolean;
};

export type GatewayFacts = {
  readonly version: string;
  readonly publicUrl: string;
  readonly proxyUrl: string;
  readonly startedAt: string;
  readonly demo: boolean;
  /** What follows is for owners alone. */
  readonly store?: { readonly embedded: boolean; readonly serverVersion: string; readonly migration: string };
  readonly encryptionKeys?: readonly { readonly id: string; readonly rows: number }[];
  readonly replicas?: readonly { readonly id: string; readonly startedAt: string }[];
  readonly settings?: Readonly<Record<string, unknown>>;
};

export type SearchResult = {
  readonly kind: 'user' | 'connection' | 'integration' | 'provider' | 'request' | 'project';
  readonly id: string;
  readonly title: string;
  readonly subtitle: string | null;
  readonly projectId: string | null;
};

export const meQuery = untypedQuery<Operator>('/operators/me');
export const signInOptionsQuery = untypedQuery<SignInOptions>('/sign-in-options');
export const gatewayQuery = untypedQuery<GatewayFacts>('/gateway');

export function searchQuery(q: string, projectId: string | undefined) {
  return untypedQuery<{ results: readonly SearchResult[] }>('/search', { query: { q, projectId } });
}

export const signIn = (body: { email: string; password: string; otp?: string }) =>
  request<Session>('POST', '/sessions', { body });
export const signOut = () => request<undefined>('DELETE', '/sessions/{id}', { path: { id: 'current' } });
export const lookUpInvitation = (token: string) =>
  request<InvitationLookup>('POST', '/invitations/lookup', { body: { token } });
export const acceptInvitation = (body: { token: string; name?: string; password?: string; otp?: string }) =>
  request<Session>('POST', '/invitations/accept', { body });
export const askForPasswordReset = (email: string) =>
  request<undefined>('POST', '/password-resets', { body: { email } });
export const completePasswordReset = (body: { token: string; password: string }) =>
  request<Session>('POST', '/password-resets/complete', { body });
export const changeMe = (body: {
  name?: string;
  language?: string | null;
  password?: string;
  currentPassword?: string;
}) => request<Operator>('PATCH', '/operators/me', { body });
