/** What may be wrong with a member of an input, by the API's English words for it, with places for what varies. */
export type FaultTexts = {
  readonly messages: Readonly<Record<string, string>>;
  /** What a value has to be, as messages name it. */
  readonly wanted: Readonly<Record<string, string>>;
  /** What stands between the kinds of which a value may be one. */
  readonly or: string;
};

/** `parts` are the words around the values: one more than there are values. */
type Template = {
  readonly parts: readonly string[];
  readonly names: readonly string[];
  readonly text: string;
};
type Values = Readonly<Record<string, string>>;

/** Between kinds in English. */
const OR = ', or ';
const NUMBERS: ReadonlySet<string> = new Set(['count', 'max', 'min', 'number']);

/** Gives the translation of a message of the API; undefined where there is none. */
export function createFaultWords({
  messages,
  wanted,
  or,
}: FaultTexts): (message: string) => string | undefined {
  const whole = toTemplates(messages);
  const kinds = toTemplates(wanted);
  const wordKind = (kind: string) => fillFirst(kinds, kind, (values) => values);
  return (message) =>
    fillFirst(whole, message, (values) => {
      if (values.wanted === undefined) return values;
      const worded = wordKind(values.wanted) ?? wordAll(values.wanted.split(OR), wordKind)?.join(or);
      return worded === undefined ? undefined : { ...values, wanted: worded };
    });
}

function wordAll(
  kinds: readonly string[],
  word: (kind: string) => string | undefined,
): readonly string[] | undefined {
  const worded = kinds.map(word).filter((kind) => kind !== undefined);
  return worded.length === kinds.length ? worded : undefined;
}

function toTemplates(texts: Readonly<Record<string, string>>): readonly Template[] {
  return Object.entries(texts).map(([english, text]) => ({
    parts: english.split(/\{\w+\}/),
    names: Array.from(english.matchAll(/\{(\w+)\}/g), ([, name = '']) => name),
    text,
  }));
}

/** The values between the parts, each as short as can be; undefined where the text is another one. */
function readValues({ parts, names }: Template, english: string): Values | undefined {
  const [first = '', ...rest] = parts;
  if (!english.startsWith(first)) return undefined;
  if (rest.length === 0) return english === first ? {} : undefined;
  const values: Record<string, string> = {};
  let at = first.length;
  for (const [index, part] of rest.entries()) {
    const isLast = index === rest.length - 1;
    const end = isLast ? english.length - part.length : english.indexOf(part, at + 1);
    if (end <= at || (isLast && !english.endsWith(part))) return undefined;
    const name = names[index] ?? '';
    values[name] = english.slice(at, end);
    if (NUMBERS.has(name) && !/^-?[\d.,]+$/.test(values[name])) return undefined;
    at = end + part.length;
  }
  return values;
}

/** The first text whose English fits, with its values; `adapt` gives undefined where one of them cannot be worded. */
function fillFirst(
  templates: readonly Template[],
  english: string,
  adapt: (values: Values) => Values | undefined,
): string | undefined {
  for (const template of templates) {
    const found = readValues(template, english);
    const values = found && adapt(found);
    if (values) return template.text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
  }
  return undefined;
}
