import { escapeHtml } from '../lib/escape-html.ts';

/** Of a caller's request, what tells whether its client reads refusals as XML. */
type Caller = {
  readonly authorization?: string | undefined;
  readonly 'content-type'?: string | undefined;
};

/** What an AWS client calls the parts of a refusal. */
type Refusal = { readonly code: string; readonly message: string; readonly requestId: string };

const SCHEME = 'AWS4-HMAC-SHA256 ';
const CREDENTIAL = 'Credential=';
const FORM = /^application\/x-www-form-urlencoded\b/i;

/**
 * The refusal as the clients of Amazon S3 and of AWS's query protocol read it, since they parse nothing but XML and
 * raise "XML parse error" for everything else; undefined for callers that read JSON, AWS's own JSON protocols among
 * them. Source: Amazon S3 API reference, "Error responses"; Smithy 2.0, "AWS query protocol".
 */
export function writeXmlProblem(caller: Caller, refusal: Refusal): string | undefined {
  const service = readService(caller.authorization ?? '');
  if (service === undefined) return undefined;
  if (service === 's3')
    return document('Error', `${describe(refusal)}<RequestId>${refusal.requestId}</RequestId>`);
  if (!FORM.test(caller['content-type'] ?? '')) return undefined;
  const error = `<Error><Type>Sender</Type>${describe(refusal)}</Error>`;
  return document('ErrorResponse', `${error}<RequestId>${refusal.requestId}</RequestId>`);
}

/** The service of a Signature Version 4, whose scope is key id, day, region, service and `aws4_request`. */
function readService(authorization: string): string | undefined {
  const start = authorization.indexOf(CREDENTIAL);
  if (!authorization.startsWith(SCHEME) || start < 0) return undefined;
  const [credential = ''] = authorization.slice(start + CREDENTIAL.length).split(/[,\s]/, 1);
  const scope = credential.split('/');
  return scope.at(-1) === 'aws4_request' ? scope.at(-2) : undefined;
}

function describe({ code, message }: Refusal): string {
  return `<Code>${escapeHtml(code)}</Code><Message>${escapeHtml(message)}</Message>`;
}

function document(root: string, content: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${root}>${content}</${root}>`;
}
