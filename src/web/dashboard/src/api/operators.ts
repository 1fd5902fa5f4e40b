import type { components } from '../../../../../clients/node/src/api.ts';
import { api, request } from './client.ts';
import { apiQuery } from './queries.ts';
import { isSessionEnd } from './session-end.ts';

/** The shapes of the API's answers by the names that its OpenAPI document gives them. */
type Schemas = components['schemas'];

export type Operator = Schemas['Operator'];
export type Session = Schemas['Session'];
export type SignInOptions = Schemas['SignInOptions'];
export type InvitationFacts = Schemas['InvitationFacts'];
export type GatewayFacts = Schemas['Gateway'];
export type Role = Schemas['Member']['role'];
export type SearchResult = Schemas['SearchResults']['results'][number];

export const meQuery = apiQuery('/operators/me');
export const signInOptionsQuery = apiQuery('/sign-in-options');
export const ownInvitationsQuery = apiQuery('/operators/me/invitations', { query: { limit: 100 } });
export const gatewayQuery = apiQuery('/gateway');

export function searchQuery(q: string, projectId: string | undefined) {
  return apiQuery('/search', { query: projectId === undefined ? { q } : { q, projectId } });
}

export const signIn = (body: { email: string; password: string; otp?: string }) =>
  api.post('/sessions', { body });
/** A session that has ended already is no fault. */
export async function signOut(): Promise<void> {
  try {
    await request('DELETE', '/sessions/{id}', { path: { id: 'current' }, needsSession: false });
  } catch (error) {
    if (!isSessionEnd(error)) throw error;
  }
}

export const lookUpInvitation = (token: string) => api.post('/invitations/lookup', { body: { token } });
export const acceptInvitation = (body: { token: string; name?: string; password?: string; otp?: string }) =>
  api.post('/invitations/accept', { body });
export const askForPasswordReset = (email: string) => api.post('/password-resets', { body: { email } });
export const completePasswordReset = (body: { token: string; password: string }) =>
  api.post('/password-resets/complete', { body });
export const changeMe = (body: {
  name?: string | null;
  language?: 'en' | 'de' | 'es' | null;
  password?: string;
  currentPassword?: string;
  endTokens?: boolean;
}) => api.patch('/operators/me', { body });
