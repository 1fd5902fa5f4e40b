import { generateKeyPairSync } from 'node:crypto';
import type { Call } from './call.ts';

/** Keys, revocations, invitations and addresses of a project, so that its settings and its audit log are filled. */
export async function seedSettings(call: Call, projectId: string): Promise<void> {
  const project = `/v1/projects/${projectId}`;
  await call('PATCH', project, {
    allowedOrigins: ['https://app.example.com', 'https://staging.example.com', 'http://localhost:5173'],
    returnUrls: ['https://app.example.com/settings/integrations'],
    branding: { displayName: 'Northwind', color: '#f4a340' },
  });
  const soonMs = 3 * 24 * 60 * 60 * 1_000;
  await call('POST', `${project}/api-keys`, { name: 'Continuous integration' });
  await call('POST', `${project}/api-keys`, {
    name: 'Staging backend',
    expiresAt: new Date(Date.now() + soonMs).toISOString(),
  });
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  await call('POST', `${project}/signing-keys`, { alg: 'ES256', publicKey: pem, kid: '2026-11' });
  await call('POST', `${project}/signing-keys`, {
    jwksUrl: 'https://login.example.com/.well-known/jwks.json',
    issuer: 'https://login.example.com/',
  });
  await call('POST', `${project}/revocations`, { userId: 'user-omar' });
  await call('POST', `${project}/revocations`, { jti: '9f2c1d7e-once' });
  for (const [email, role] of [
    ['grace@example.com', 'admin'],
    ['support@example.com', 'viewer'],
  ])
    await call('POST', `${project}/invitations`, { email, role });
}
