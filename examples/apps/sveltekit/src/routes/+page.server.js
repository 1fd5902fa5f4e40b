import { redirect } from '@sveltejs/kit';
import { findUser, signIn, signOut } from '#lib/server/session.js';
import { GATEWAY_URL, PROJECT_ID, PROVIDER } from '$app/env/private';

export const load = ({ cookies }) => ({
  user: findUser(cookies),
  gatewayUrl: GATEWAY_URL,
  projectId: PROJECT_ID,
  provider: PROVIDER,
});

/** SvelteKit refuses forms that come from another origin. */
export const actions = {
  'sign-in': async ({ request, cookies }) => {
    signIn(cookies, String((await request.formData()).get('user')));
    redirect(303, '/');
  },
  'sign-out': ({ cookies }) => {
    signOut(cookies);
    redirect(303, '/');
  },
};
