import { listReceived } from '../../lib/gateway';
import { findUser } from '../../lib/session';

export async function GET(): Promise<Response> {
  const user = await findUser();
  if (user === undefined) return new Response('not signed in', { status: 401 });
  return Response.json(listReceived(user.id), { headers: { 'cache-control': 'no-store' } });
}
