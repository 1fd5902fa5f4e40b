import { type QueryClient, useQuery } from '@tanstack/react-query';
import { redirect } from '@tanstack/react-router';
import { meQuery, type Operator, type Role } from '../api/operators.ts';
import { findStatus } from '../api/problem.ts';
import { apiQuery } from '../api/queries.ts';

/** The signed-in operator. Only for pages below the sign-in; their guard has loaded it. */
export function useMe(): Operator | undefined {
  return useQuery({ ...meQuery, staleTime: 60_000 }).data;
}

/** For `beforeLoad`: sends to the sign-in page, which comes back to `address`, when there is no session. */
export async function requireOperator(client: QueryClient, address: string): Promise<void> {
  try {
    await client.ensureQueryData(meQuery);
  } catch (error) {
    if (findStatus(error) !== 401) throw error;
    throw redirect({ to: '/sign-in', search: address === '/' ? {} : { returnTo: address } });
  }
}

/**
 * An address within the dashboard to go back to; `/` for everything that leads elsewhere. The browser's own parser decides,
 * which leaves tabs and line ends out and takes a backslash for a slash.
 */
export function safeReturnTo(value: unknown): string {
  const url = typeof value === 'string' && value.startsWith('/') ? URL.parse(value, location.origin) : null;
  if (url === null || url.origin !== location.origin || /^\/(\/|sign-in)/.test(url.pathname)) return '/';
  return url.pathname + url.search + url.hash;
}

export const MEMBERS = '/projects/{projectId}/members';

/** Asks for the operator's own row of the members: a project may have more than a page of them. */
export function useMembership(projectId: string, options: { readonly refetchInterval?: number } = {}) {
  const operatorId = useMe()?.id ?? '';
  return useQuery({
    ...apiQuery(MEMBERS, { path: { projectId }, query: { operatorId, limit: 1 } }),
    enabled: operatorId !== '',
    staleTime: 60_000,
    ...options,
  });
}

/** The operator's role in the project; undefined until it is known. */
export function useRole(projectId: string): Role | undefined {
  return useMembership(projectId).data?.members[0]?.role;
}

/** Whether the API lets the operator change the project. False until the role is known: no button appears and goes. */
export function useCanEdit(projectId: string): boolean {
  const role = useRole(projectId);
  return role === 'owner' || role === 'admin';
}
