import { fillPlaceholders } from '../lib/template.ts';
import {
  FINDING_CODES,
  FINDING_TEXTS,
  type FindingCode,
  type FindingText,
  SEVERITIES,
  type Severity,
  type Wording,
} from './finding-texts.ts';

/** Something that was seen and that the finding rests on. Never a secret. */
export type Evidence = {
  readonly label: string;
  readonly value: string;
  readonly requestId?: string;
  /** As RFC 3339 has it. */
  readonly at?: string;
};

export type Finding = {
  readonly code: FindingCode;
  readonly severity: Severity;
  readonly title: string;
  readonly detail: string;
  readonly remedy: string;
  /** What the placeholders of the texts stand for, for those who translate them. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly evidence: Evidence[];
};

const EVIDENCE_MAX = 5;
const PARAMETER_LENGTH_MAX = 400;

/** A finding with its English texts filled in. `severity` replaces that of the table, where facts make it worse or better. */
export function createFinding(
  code: FindingCode,
  parameters: Readonly<Record<string, string>> = {},
  { evidence = [], severity }: { evidence?: readonly Evidence[]; severity?: Severity } = {},
): Finding {
  const text: FindingText = FINDING_TEXTS[code];
  const fill = (template: string) =>
    fillPlaceholders(template, (name) => (parameters[name] ?? '?').slice(0, PARAMETER_LENGTH_MAX));
  return {
    code,
    severity: severity ?? text.severity,
    title: fill(text.title),
    detail: capitalize(fill(chooseForm(text.detail, parameters))),
    remedy: capitalize(fill(text.remedy)),
    parameters,
    evidence: evidence.slice(0, EVIDENCE_MAX),
  };
}

const ENGLISH = new Intl.PluralRules('en');

/** The form that fits the number of things. */
function chooseForm(wording: Wording, { count }: Readonly<Record<string, string>>): string {
  if (typeof wording === 'string') return wording;
  return ENGLISH.select(Number(count)) === 'one' ? wording.one : wording.other;
}

/** A sentence may begin with a value that is written small elsewhere: `the token endpoint`. An address stays as it is. */
function capitalize(sentence: string): string {
  return /^[a-z]+ /.test(sentence) ? sentence.charAt(0).toUpperCase() + sentence.slice(1) : sentence;
}

/** Findings of several judges as one list: one for each code with the evidence of all, the worst first. Pure. */
export function mergeFindings(findings: readonly Finding[]): Finding[] {
  const byCode = Map.groupBy(findings, ({ code }) => code);
  const merged = [...byCode.values()].flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    const all = [first, ...others];
    const severity = all.map((finding) => finding.severity).toSorted(bySeverity)[0] ?? first.severity;
    const evidence = all.flatMap((finding) => finding.evidence).slice(0, EVIDENCE_MAX);
    return [{ ...first, severity, evidence }];
  });
  return merged.toSorted(
    (left, right) =>
      bySeverity(left.severity, right.severity) ||
      FINDING_CODES.indexOf(left.code) - FINDING_CODES.indexOf(right.code),
  );
}

function bySeverity(left: Severity, right: Severity): number {
  return SEVERITIES.indexOf(right) - SEVERITIES.indexOf(left);
}
