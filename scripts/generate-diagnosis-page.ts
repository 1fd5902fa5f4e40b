import {
  FINDING_CODES,
  FINDING_TEXTS,
  type FindingCode,
  type FindingText,
} from '../src/diagnosis/finding-texts.ts';

const INTRODUCTION = `# Diagnosis

Made by \`npm run generate\` from \`src/diagnosis/finding-texts.ts\` and \`scripts/generate-diagnosis-page.ts\`.

The gateway finds out what is wrong with an integration, and says what to do about it. The same finding, by the same code,
shows where the trouble shows:

| where | what |
|---|---|
| \`GET /v1/integrations/{id}/diagnosis\` | everything that is known of an integration, the worst first |
| \`POST /v1/integrations/probe\` | the client alone, before it is saved |
| \`GET /v1/integrations/{id}/connect-attempts\` | how far users get, and why sign-ins failed |
| \`GET /v1/connections/{id}/health\`, \`POST …/test\` | one connection: what is stored of it, and what its provider says now |
| \`GET /v1/activity?action=connect_session.failed\` | \`details.findings\` of a sign-in that failed |
| \`GET /v1/integrations/{id}/secrets\` | when each secret was set, last accepted and last refused, and when it ends |
| \`GET /v1/integrations/{id}/impact\`, \`GET /v1/projects/{projectId}/impact\` | what deleting would break |

\`\`\`json
{
  "checkedAt": "2026-11-22T09:30:00.000Z",
  "findings": [
    {
      "code": "client_secret_refused",
      "severity": "error",
      "title": "Wrong client secret",
      "detail": "HubSpot refuses the client secret.",
      "remedy": "Copy the client secret of the app at HubSpot again, …",
      "parameters": { "provider": "HubSpot" },
      "evidence": [{ "label": "Token endpoint", "value": "invalid_client, status 401", "at": "2026-11-22T09:30:00.000Z" }]
    }
  ]
}
\`\`\`

## How it finds out

**It asks the provider.** The token endpoint gets a code that nobody issued. Who asks is judged before what is asked for, so that
\`invalid_grant\` proves client id and secret, and \`invalid_client\` disproves them; whatever else comes leaves them unprovable. A
provider of client credentials is asked for a token, which is not used. The authorization endpoint gets the request that a
user's browser would bring, without cookies: an error page tells of an unknown client id, a redirect URL that is not
registered, or refused scopes. A log-in page tells nothing; then a client id that cannot exist is sent as well, and if that
one is refused, the real one is known, and the fault is the secret's. Where the newer of two secrets is refused, the older is tried,
and where the provider has regions, the others. Nothing is spent, and no user is concerned.

**It looks at what is stored**: connect sessions of the last seven days, failures in the activity, the newest 1,000 connections
with the last answers to their refreshes, noted ends of secrets, and what was refused in passing (origins that are not allowed,
return URLs that are not registered, hosts other than that of \`PUBLIC_URL\`; 20 of each for a project, for seven days).

**A fault that is mended is not told.** A failed sign-in counts until one has succeeded since or the integration was changed; an
accepted client disproves what was said of it before.

## How often it asks

An answer counts for ten minutes, for all processes, unless the integration is changed. \`refresh=true\` asks again, at most every
ten seconds for an integration and 60 times a minute for a project. Four checks run at a time in a process, in which projects take
turns; each ends after 25 seconds. Without \`refresh=true\` an answer waits five seconds for the provider at most and then tells what
is known; the check goes on. Viewers read what is known. Owners, admins and API keys
with \`integrations:write\` have the provider asked.

\`POST /v1/connections/{id}/test\` makes the account call of the catalog's entry. Where there is none, it refreshes the access token,
at most twice a minute; where that is impossible too, the connection is \`connection_unprovable\`. A provider that does not answer, or
answers with a fault of its own, is \`provider_down\`, or the finding that says more closely why no answer came.

## When a secret ends

Providers do not tell when a client secret ends. Note it: \`PATCH /v1/integrations/{id} { "clientSecret": …, "secretExpiresAt":
"2027-11-22T00:00:00Z" }\`. The diagnosis warns 30 days ahead. A new secret begins without an end. The one before is tried for
seven days more; \`DELETE /v1/integrations/{id}/secrets/{secretId}\` drops it sooner.

## Webhooks

Every signature is verified. Refused ones are counted, and the last hundred of an integration are kept with headers and the beginning
of the body (\`GET /v1/webhook-receipts?state=rejected\`): anybody can send such requests. From three
signatures on that fit no secret, with none that fitted since, \`webhook_secret_wrong\` warns; fewer, and those whose signature is missing,
malformed or old, are \`webhook_sender_unproven\`, which is no more than a hint. \`webhook_never_came\` is
given where webhooks are wanted: the integration has a webhook secret or subscriptions.

### Webhook secrets that the provider brings

Asana, Gusto, Keap, Notion and Zoho Mail bring the webhook secret in a handshake when their webhooks are registered. Nothing proves
who sent it, and every end user can read the integration's \`webhookUrl\`. So this address takes such a secret only once, in the 15
minutes after an operator (owner or admin) or a backend asked for it: "Wait for the handshake" beside the webhook URL in the
dashboard, or \`POST /v1/integrations/{id}/webhook-handshake\`, right before the address is registered at the provider. A new
integration does not wait, since its address is known before the operator has turned to the provider. At other times a handshake is
answered \`401 signature_invalid\`, and is among the rejected webhooks with the reason \`handshake_not_awaited\`; \`GET\` of the same
path shows the state. Secrets that are known stay, and entering \`webhookSecret\` needs none of this. Within the 15 minutes the first to
send one still decides. Addresses of \`POST /v1/integrations/{id}/subscriptions\` have an unguessable part, take the first secret at any
time, and are the better choice where the provider can use one.

## All findings

\`ok\`: looked at and in order. \`info\`: worth knowing. \`warning\`: some users are affected, or will be. \`error\`: users are affected,
or nobody can connect. The severity of a finding may differ from the usual one here where facts make it better or worse. Words in
braces stand for the members of \`parameters\`.
`;

/** docs/diagnosis.md: how the diagnosis works, and every finding of the table. */
export function diagnosisPage(): string {
  const rows = FINDING_CODES.map((code) => rowOf(code));
  return `${INTRODUCTION}
| code | usually | means | remedy |
|---|---|---|---|
${rows.join('\n')}
`;
}

function rowOf(code: FindingCode): string {
  const { severity, title, detail: wording, remedy }: FindingText = FINDING_TEXTS[code];
  const detail = typeof wording === 'string' ? wording : wording.other;
  return `| \`${code}\` | ${severity} | **${title}.** ${detail} | ${remedy} |`;
}
