import { createClient } from '../../lib/gateway';
import { findUser } from '../../lib/session';
import { readSetting } from '../../lib/settings';

/** For the user who is signed in, never for one whom the request names. Short-lived: the page asks again. */
export async function POST(request: Request): Promise<Response> {
  // Next.js guards server actions against cross-site request forgery; this is none.
  if (request.headers.get('origin') !== readSetting('APP_URL'))
    return new Response('another site', { status: 403 });
  const user = await findUser();
  if (user === undefined) return new Response('not signed in', { status: 401 });
  const { token } = await createClient().userTokens.create({ userId: user.id, expiresIn: 600 });
  return new Response(token, { headers: { 'cache-control': 'no-store' } });
}
