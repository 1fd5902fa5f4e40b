import { ERROR_CODES, ERRORS, type ErrorCode, publicCode } from '../src/http/error-codes.ts';
import type { ErrorEntry } from '../src/http/error-tables/entry.ts';
import { AUTHORIZATION_HELP } from './error-help/authorization.ts';
import { CALLER_HELP } from './error-help/callers.ts';
import { type Help, type Mender, PLACES } from './error-help/help.ts';
import { OBJECT_HELP, RESOURCE_HELP } from './error-help/objects.ts';
import { REQUEST_HELP, SERVICE_HELP } from './error-help/requests.ts';

const HELP: Readonly<Record<ErrorCode, Help>> = {
  ...REQUEST_HELP,
  ...CALLER_HELP,
  ...RESOURCE_HELP,
  ...OBJECT_HELP,
  ...AUTHORIZATION_HELP,
  ...SERVICE_HELP,
};

const MENDERS: Readonly<Record<Mender, string>> = {
  caller: 'the maker of the application, or the agent that calls',
  user: 'the end user, or the person who is asked',
  operator: 'an operator of the project or of the gateway',
  provider: 'the provider; the gateway and its operators can only wait',
  none: 'it passes by itself, or is the end of the matter',
};

const INTRODUCTION = `# Troubleshooting by error code

Made by \`npm run generate\` from \`src/http/error-tables/\` and \`scripts/error-help/\`.

Every refusal of the gateway is \`application/problem+json\` with a \`code\` of this page, a \`remedy\` for the caller, and a
\`requestId\`, by which the log, the dashboard's Calls and the traces find it. Its \`type\` leads to the same table at
\`/docs/errors\` of the gateway itself. A code is never renamed and never gets another status. What a provider answers is no refusal of
the gateway: it comes through as it is, without \`Gateway-Error\`.

| mends it | who that is |
|---|---|
${Object.entries(MENDERS)
  .map(([mender, who]) => `| ${mender} | ${who} |`)
  .join('\n')}

Further pages: [diagnosis](diagnosis.md) for what is wrong with an integration, [operations](operations.md#metrics-and-alerts) for what to do
when an alert fires, [deliveries of events](receiving-events.md) for the errors of receivers.
`;

/** docs/error-codes.md: each code with who mends it, what it comes from, and where an operator looks. */
export function errorCodesPage(): string {
  return `${INTRODUCTION}\n${ERROR_CODES.map(describe).join('\n')}`;
}

function describe(code: ErrorCode): string {
  const { status, title, meaning, remedy, retryable }: ErrorEntry = ERRORS[code];
  const [mender, place, causes] = HELP[code];
  return `## ${publicCode(code) === code ? code : `${publicCode(code)} (${code})`}

**${status}, ${title}.** ${meaning}${retryable ? ' The same request may work later.' : ''}

| | |
|---|---|
| mends it | ${mender} |
| comes from | ${causes} |
| remedy | ${remedy.replaceAll('|', '\\|')} |
| an operator looks at | ${PLACES[place]} |
`;
}
