import { isErrorCode } from '../../../src/http/error-codes.ts';
import { isRecord } from '../../../src/lib/is-record.ts';
import { type Answer, readField, readJson } from './answers.ts';
import type { FuzzStage } from './stage.ts';
import type { Observation, Target } from './target.ts';

/** Below what any answer to a single request of a stranger has; the largest is the list of a project's things. */
const BODY_BYTES_MAX = 1024 * 1024;
/** Node's own limit for what a client reads. */
const HEAD_BYTES_MAX = 16 * 1024;

/** What holds for every answer, whatever was sent. */
export function judgeAnswers(
  stage: FuzzStage,
  { statedFaults }: Pick<Target<never>, 'statedFaults'>,
  { answers, faults }: Observation,
): string[] {
  return [...faults, ...answers.flatMap((answer) => judgeAnswer(stage, statedFaults, answer))];
}

function judgeAnswer(stage: FuzzStage, statedFaults: ReadonlySet<string>, answer: Answer): string[] {
  const { status, body, headBytes } = answer;
  const found: string[] = [];
  if (body.length > BODY_BYTES_MAX) found.push(`a body of ${body.length} bytes`);
  if (headBytes > HEAD_BYTES_MAX) found.push(`a head of ${headBytes} bytes`);
  const code = readCode(answer);
  if (status >= 500 && (code === undefined || !statedFaults.has(code)))
    found.push(`${status} ${code ?? 'without a code'}: ${body.toString('utf8', 0, 300)}`);
  const text = `${answer.fields.flat().join('\n')}\n${body.toString('latin1')}`;
  return [...found, ...stage.findSecrets(text).map((name) => `the ${name} stands in an answer (${status})`)];
}

/** The stable code of a problem: in its field where it has one, else in its body. */
export function readCode(answer: Answer): string | undefined {
  const json = readJson(answer);
  const named = readField(answer, 'gateway-error') ?? (isRecord(json) ? json.code : undefined);
  return typeof named === 'string' && isErrorCode(named) ? named : undefined;
}

/** Fields that come and go without another behaviour behind them. */
const IGNORED_FIELDS = new Set([
  'date',
  'content-length',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'etag',
]);

/** What distinguishes one behaviour from another, for each answer: status, code and shape. */
export function describeBehaviours({ answers }: Pick<Observation, 'answers'>): string[] {
  return answers.length === 0 ? ['nothing'] : [...new Set(answers.map(describeAnswer))];
}

function describeAnswer(answer: Answer): string {
  const names = answer.fields.map(([name]) => name.toLowerCase()).filter((name) => !IGNORED_FIELDS.has(name));
  const type = readField(answer, 'content-type')?.split(';')[0] ?? '-';
  return `${answer.status} ${readCode(answer) ?? '-'} ${type} ${[...new Set(names)].toSorted().join(',')} ${describeShape(readJson(answer))}`;
}

const MEMBERS_MAX = 12;

/** Names of members, and of those of JSON-RPC results, not their values. */
function describeShape(json: unknown, depth = 2): string {
  if (Array.isArray(json)) return `[${json.length === 0 ? '' : describeShape(json[0], depth - 1)}]`;
  if (!isRecord(json)) return json === undefined ? '' : typeof json;
  if (depth === 0) return '{}';
  const members = Object.entries(json).slice(0, MEMBERS_MAX);
  return `{${members.map(([name, value]) => `${name}${isRecord(value) ? describeShape(value, depth - 1) : ''}`).join(',')}}`;
}
