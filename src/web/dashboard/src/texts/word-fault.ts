/** What may be wrong with a member of an input, by the API's English words for it, with places for what varies. */
export type FaultTexts = {
  readonly messages: Readonly<Record<string, string>>;
  /** What a value has to be, as messages name it. */
  readonly wanted: Readonly<Record<string, string>>;
  /** What stands between the kinds of which a value may be one. */
  readonly or: string;
};

type Template = { readonly pattern: RegExp; readonly names: readonly string[]; readonly text: string };
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
  return Object.entries(texts).map(([english, text]) => {
    const names: string[] = [];
    const source = english.split(/(\{\w+\})/).map((part, index) => {
      if (index % 2 === 0) return part.replaceAll(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
      names.push(part.slice(1, -1));
      return NUMBERS.has(part.slice(1, -1)) ? '(-?[\\d.,]+)' : '(.+?)';
    });
    return { pattern: new RegExp(`^${source.join('')}$`), names, text };
  });
}

/** The first text whose English fits, with its values; `adapt` gives undefined where one of them cannot be worded. */
function fillFirst(
  templates: readonly Template[],
  english: string,
  adapt: (values: Values) => Values | undefined,
): string | undefined {
  for (const { pattern, names, text } of templates) {
    const found = pattern.exec(english);
    const values =
      found && adapt(Object.fromEntries(names.map((name, index) => [name, found[index + 1] ?? ''])));
    if (values) return text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
  }
  return undefined;
}
