import fc from 'fast-check';
import { joinText, type Text } from '../engine/text.ts';

/** JSON of tokens as text, so that members can come twice and be of any type. */

type Member = Text;
const member = (name: string, value: string): Member => [`"${name}":${value}`];
const oneOf = (name: string, ...values: readonly string[]): fc.Arbitrary<Member> =>
  fc.constantFrom(...values).map((value) => member(name, value));
/** Mostly the right value. */
const mostly = (name: string, right: string, ...values: readonly string[]): fc.Arbitrary<Member> =>
  fc.oneof(
    { weight: 8, arbitrary: fc.constant(member(name, right)) },
    { weight: 2, arbitrary: oneOf(name, ...values) },
  );
const rarely = (...members: readonly fc.Arbitrary<Member>[]): fc.Arbitrary<readonly Member[]> =>
  fc.oneof(
    { weight: 4, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(fc.oneof(...members), { minLength: 1, maxLength: 2 }) },
  );

const ODD = [
  'null',
  'true',
  '0',
  '-1',
  '1e999',
  '"x"',
  '""',
  '[]',
  '{}',
  '[[[]]]',
  '{"$gt":0}',
  '9007199254740993',
  '1.5',
  '"\\u0000"',
  '"\\ud800"',
];

const big: fc.Arbitrary<Member> = fc
  .integer({ min: 1, max: 7_000 })
  .map((times): Member => ['"c":"', { run: 'a', times }, '"']);
const deep: fc.Arbitrary<Member> = fc
  .integer({ min: 1, max: 2_000 })
  .map((times): Member => ['"d":', { run: '[', times }, { run: ']', times }]);
const wide: fc.Arbitrary<Member> = fc
  .integer({ min: 1, max: 500 })
  .map((times): Member => [{ run: '"w":1,', times }, '"w":2']);

function toObject(members: readonly Member[]): Text {
  return joinText(['{'], ...members.flatMap((one, index) => (index === 0 ? [one] : [[','], one])), ['}']);
}

const header = fc.oneof(
  {
    weight: 20,
    arbitrary: fc
      .tuple(
        mostly(
          'alg',
          '"ES256"',
          '"none"',
          '"nOnE"',
          '"HS256"',
          '"RS256"',
          '"PS256"',
          '"ES384"',
          '"es256"',
          '"EdDSA"',
          '""',
          'null',
          '1',
          '["ES256"]',
        ),
        mostly(
          'kid',
          '"{{kid}}"',
          '"other"',
          '"../../etc/passwd"',
          '"__proto__"',
          '"constructor"',
          '1',
          'null',
          '""',
          '"{{kid}}\\u0000"',
          '"\' OR 1=1 --"',
          '"http://127.0.0.1:{{trap}}/"',
        ),
        rarely(
          oneOf('typ', '"JWT"', '"at+jwt"', '"JWE"', '1', '"dpop+jwt"', 'null'),
          oneOf('crit', '[]', '["exp"]', '["b64"]', '"exp"', 'null'),
          oneOf('b64', 'false', 'true', '0'),
          oneOf('zip', '"DEF"'),
          oneOf('enc', '"A128GCM"'),
          oneOf('jku', '"http://127.0.0.1:{{trap}}/jwks"', '"http://localhost:{{trap}}/jwks"', 'null'),
          oneOf('x5u', '"http://127.0.0.1:{{trap}}/cert"'),
          oneOf('x5c', '["AAAA"]'),
          oneOf('jwk', '{{jwk}}'),
          oneOf('alg', '"none"', '"HS256"', '"ES256"'),
          oneOf('kid', '"other"', '"{{kid}}"'),
          oneOf('__proto__', '{"alg":"none"}'),
          big,
          deep,
        ),
      )
      .map(([alg, kid, more]) => toObject([alg, kid, ...more])),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Text>(
      ['[]'],
      ['null'],
      [''],
      ['{'],
      ['{"alg":"ES256"}x'],
      ['\ufeff{"alg":"ES256","kid":"{{kid}}"}'],
      ['"x"'],
    ),
  },
);

const MANDATES = [
  '[]',
  '{}',
  'null',
  '"x"',
  '[null]',
  '[{"type":"gateway_access"}]',
  '[{"type":"other"}]',
  '[{"type":"gateway_access","provider":"notes","access":"read"}]',
  '[{"type":"gateway_access","provider":"notes","access":"write"}]',
  '[{"type":"gateway_access","provider":"notes","access":"write","methods":["GET"]}]',
  '[{"type":"gateway_access","provider":"other","access":"write"}]',
  '[{"type":"gateway_access","provider":"notes","access":"Write"}]',
  '[{"type":"gateway_access","provider":"notes","access":"read","paths":["/**"]},{"type":"gateway_access","provider":"*","access":"write"}]',
  '[{"type":"gateway_access","provider":"notes","access":"read","access":"write"}]',
  '[{"type":"gateway_access","provider":"notes","access":"write","paths":["/a/**/../**"]}]',
  '[{"type":"gateway_access","provider":"notes","access":"write","perHour":-1}]',
];

const payload = fc.oneof(
  {
    weight: 20,
    arbitrary: fc
      .tuple(
        mostly('sub', '"mia"', ...ODD, '"operator:x"', '"mia "', '"MIA"'),
        mostly(
          'aud',
          '"{{project}}"',
          ...ODD,
          '["{{project}}"]',
          '["{{project}}",1]',
          '["x","{{project}}"]',
          '"{{project}} "',
          '"00000000-0000-7000-8000-000000000000"',
          '{"0":"{{project}}"}',
        ),
        mostly(
          'exp',
          '{{soon}}',
          ...ODD,
          '{{past}}',
          '{{far}}',
          '"{{soon}}"',
          '{{soon}}.5',
          '[{{soon}}]',
          '253402300800',
          '1e300',
        ),
        rarely(
          oneOf('iat', '{{now}}', '{{past}}', '{{far}}', '"{{now}}"', ...ODD),
          oneOf('nbf', '{{past}}', '{{far}}', '"x"', ...ODD),
          oneOf('jti', '"a"', ...ODD),
          oneOf('iss', '"x"', ...ODD),
          oneOf('authorization_details', ...MANDATES),
          oneOf('act', '{"sub":"x"}', '{"act":{"act":{}}}', ...ODD),
          oneOf('gateway_exchange', ...ODD),
          oneOf('exp', '{{soon}}', '{{past}}'),
          oneOf('sub', '"mia"', '"other"'),
          oneOf('aud', '"x"'),
          oneOf('__proto__', '{"sub":"other"}'),
          oneOf('constructor', '{"prototype":{}}'),
          big,
          deep,
          wide,
        ),
      )
      .map(([sub, aud, exp, more]) => toObject([sub, aud, exp, ...more])),
  },
  { weight: 1, arbitrary: fc.constantFrom<Text>(['[]'], ['null'], [''], ['{"sub":"mia"'], ['1'], ['{}']) },
);

export const jwtParts = { header, payload };
