/** Would be an element of a page in text, in an attribute, in a script's data, or in a style. */
export const MARKUP = `"'></style></script><svg onload=alert(1)>{}`;

/** Fields by which an answer acts on its whole origin, on servers in front, or on what is a page. */
export const ORIGIN_FIELDS: Readonly<Record<string, string>> = {
  'Access-Control-Allow-Origin': 'https://evil.example',
  'Access-Control-Allow-Credentials': 'true',
  'Alt-Svc': 'h3="evil.example:443"',
  'Clear-Site-Data': '"*"',
  'Content-Disposition': 'inline; filename="page.html"',
  'Content-Security-Policy': "default-src *; script-src * 'unsafe-inline'",
  Link: '<https://evil.example/style.css>; rel=stylesheet',
  Location: 'https://evil.example/',
  NEL: '{"report_to":"evil","max_age":86400,"success_fraction":1}',
  Refresh: '0; url=https://evil.example/',
  'Report-To': '{"group":"evil","max_age":86400,"endpoints":[{"url":"https://evil.example/"}]}',
  'Reporting-Endpoints': 'evil="https://evil.example/"',
  'Service-Worker-Allowed': '/',
  'Set-Cookie': 'session=of-the-attacker; Path=/',
  'Strict-Transport-Security': 'max-age=31536000',
  'WWW-Authenticate': 'Basic realm="evil"',
  'X-Accel-Redirect': '/etc/passwd',
  'X-Evil': 'evil',
};

/** Throws where the answer has one of those fields with the planted value, `passing` ones aside. */
export function assertNoPlantedFields(headers: Headers, passing: readonly string[] = []): void {
  const planted = Object.entries(ORIGIN_FIELDS).filter(
    ([name, value]) => headers.get(name)?.includes(value) && !passing.includes(name),
  );
  if (planted.length > 0) throw new Error(`planted fields: ${planted.map(([name]) => name).join(', ')}`);
}
