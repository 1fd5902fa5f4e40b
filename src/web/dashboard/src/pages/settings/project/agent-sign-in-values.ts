import type { Project, ProjectChange } from '../use-project.ts';

type Setting = Project['agentSignIn'];

/** The setting as the form has it. */
export function readSetting(setting: Setting) {
  const openid = setting?.openid;
  return {
    by: openid ? 'openid' : setting?.page ? 'page' : 'none',
    page: setting?.page ?? '',
    issuer: openid?.issuer ?? '',
    clientId: openid?.clientId ?? '',
    clientSecret: '',
    userIdClaim: openid?.userIdClaim ?? 'sub',
    scopes: (openid?.scopes ?? ['email']).join(' '),
    mandateId: openid?.mandateId ?? '',
    dynamicRegistration: setting?.dynamicRegistration ?? false,
  };
}

type Values = ReturnType<typeof readSetting>;

/** Fields of members that the API has further within. */
export const FIELDS: Readonly<Record<string, keyof Values>> = {
  agentSignIn: 'by',
  'agentSignIn.page': 'page',
  'agentSignIn.dynamicRegistration': 'dynamicRegistration',
  'agentSignIn.openid.issuer': 'issuer',
  'agentSignIn.openid.clientId': 'clientId',
  'agentSignIn.openid.clientSecret': 'clientSecret',
  'agentSignIn.openid.userIdClaim': 'userIdClaim',
  'agentSignIn.openid.scopes': 'scopes',
  'agentSignIn.openid.mandateId': 'mandateId',
};

/** What the API gets. A secret that is not typed stays where there is one, and is none where there is not. */
export function writeSetting(values: Values, current: Setting): NonNullable<ProjectChange>['agentSignIn'] {
  const { by, dynamicRegistration } = values;
  if (by === 'none') return null;
  if (by === 'page') return { page: values.page.trim(), dynamicRegistration };
  const secret = values.clientSecret.trim();
  const isKept = secret === '' && current?.openid?.hasClientSecret === true;
  return {
    openid: {
      issuer: values.issuer.trim(),
      clientId: values.clientId.trim(),
      ...(!isKept && { clientSecret: secret || null }),
      userIdClaim: values.userIdClaim.trim() || 'sub',
      scopes: values.scopes.split(/\s+/).filter((scope) => scope !== ''),
      mandateId: values.mandateId.trim() || null,
    },
    dynamicRegistration,
  };
}
