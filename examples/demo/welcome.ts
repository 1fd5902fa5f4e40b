import { styleText } from 'node:util';
import { CRM_USERS, DEMO_PASSWORD } from '../demo-crm/hubs.ts';
import { SAMPLE_USERS } from '../sample-app/sign-in.ts';
import { DEMO_PROVIDER, type Demo } from './start-demo.ts';

const strong = (text: string) => styleText('bold', text);
const quiet = (text: string) => styleText('dim', text);
const address = (text: string) => styleText('cyan', text);

/** What a person needs to try the demo, as text for a terminal (without colours where output is no terminal). */
export function welcome({ gatewayUrl, app, crm, project, userToken }: Demo): string {
  const people = SAMPLE_USERS.map(({ name }) => name).join(', ');
  const logins = CRM_USERS.map(({ email, hub }) => `     ${email.padEnd(22)}${quiet(hub.name)}`).join('\n');
  const contacts = `${gatewayUrl}/projects/${project.projectId}/proxy/${DEMO_PROVIDER}/crm/v3/objects/contacts?limit=3`;
  return `
${strong('Integration Gateway: the demo is running')}

  ${strong('1.')} Open the sample app          ${address(`${app.url}/`)}
     Sign in as one of its users  ${people}
     and press ${strong('Connect')}.

  ${strong('2.')} Log in at the demo CRM       ${quiet(crm.url)}
${logins}
     The password is always       ${strong(DEMO_PASSWORD)}

  ${strong('3.')} The contacts on the page have come through the gateway. Press ${strong('Change a contact')}, there or
     on the CRM's own page at  ${address(crm.url)}
     and the row changes within a second: the CRM sends a webhook to the gateway, which
     delivers an event to the app. Turn webhooks off there, and a poll brings the change.

  ${strong('4.')} An agent at work             ${address(`${app.url}/agent`)}
     Press its buttons: it reads by a token that may only read, is refused a change, and
     sends one that you approve on the gateway's page. No model and no key are needed.

  ${strong('5.')} Once Mia is connected, her calls work from anywhere:

curl -H 'Authorization: Bearer ${userToken}' \\
  '${contacts}'

  Dashboard      ${address(gatewayUrl)}
                 sign in as ${strong(project.email)} with the password ${strong(project.password)}
  Documents      ${address(`${gatewayUrl}/docs`)}
  API key        ${project.apiKey}
  Access token   ${project.personalAccessToken}

  ${quiet('Ctrl-C stops everything.')}
`;
}
