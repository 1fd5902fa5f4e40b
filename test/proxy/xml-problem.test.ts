import { writeXmlProblem } from '../../src/proxy/xml-problem.ts';

const REFUSAL = { code: 'token_invalid', message: 'a <b> & "c"', requestId: 'r-1' };
const sign = (service: string) =>
  `AWS4-HMAC-SHA256 Credential=a.b.c/20261126/eu-west-1/${service}/aws4_request, SignedHeaders=host, Signature=00`;

describe('refusals for clients of AWS', () => {
  it('are the error document of Amazon S3 where the call is signed for it', () => {
    expect(writeXmlProblem({ authorization: sign('s3') }, REFUSAL)).toBe(
      '<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>token_invalid</Code>' +
        '<Message>a &lt;b&gt; &amp; &quot;c&quot;</Message><RequestId>r-1</RequestId></Error>',
    );
  });

  it('are that of the query protocol where the call is a form', () => {
    const type = 'application/x-www-form-urlencoded; charset=utf-8';
    expect(writeXmlProblem({ authorization: sign('sts'), 'content-type': type }, REFUSAL)).toContain(
      '<ErrorResponse><Error><Type>Sender</Type><Code>token_invalid</Code>',
    );
  });

  it.each([
    ['without a signature', undefined, undefined],
    ['with a bearer token', 'Bearer a.b.c', undefined],
    ['with another scheme that names a scope', sign('s3').replace('AWS4-HMAC', 'OTHER'), undefined],
    ['with a scope that does not end as AWS’s do', sign('s3').replace('aws4_request', 'x'), undefined],
    ['of AWS’s JSON protocols', sign('dynamodb'), 'application/x-amz-json-1.0'],
  ])('stay JSON for calls %s', (_which, authorization, type) => {
    expect(writeXmlProblem({ authorization, 'content-type': type }, REFUSAL)).toBeUndefined();
  });
});
