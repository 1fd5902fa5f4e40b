import { redirect } from '@sveltejs/kit';
import { env } from '$env/dynamic/private';
import { findUser, signIn, signOut } from '$lib/server/session.js';

export const load = ({ cookies }) => ({
  user: findUser(cookies),
  gatewayUrl: env.GATEWAY_URL,
  projectId: env.PROJECT_ID,
  provider: env.PROVIDER,
});

/** SvelteKit refuses forms that come from another origin than ORIGIN. */
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
