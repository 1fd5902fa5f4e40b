import { error, json } from '@sveltejs/kit';
import { listReceived } from '#lib/server/gateway.js';
import { findUser } from '#lib/server/session.js';

export function GET({ cookies }) {
  const user = findUser(cookies);
  if (user === undefined) error(401, 'not signed in');
  return json(listReceived(user.id), { headers: { 'cache-control': 'no-store' } });
}
