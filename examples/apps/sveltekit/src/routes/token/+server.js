import { error, text } from '@sveltejs/kit';
import { createClient } from '#lib/server/gateway.js';
import { findUser } from '#lib/server/session.js';

/** For the user who is signed in, never for one whom the request names. Short-lived: the page asks again. */
export async function POST({ cookies, request, url }) {
  // SvelteKit guards forms against cross-site request forgery; this is no form.
  if (request.headers.get('origin') !== url.origin) error(403, 'another site');
  const user = findUser(cookies);
  if (user === undefined) error(401, 'not signed in');
  const { token } = await createClient().userTokens.create({ userId: user.id, expiresIn: 600 });
  return text(token, { headers: { 'cache-control': 'no-store' } });
}
