/** A message of a call, less what is the same in all of them. */
type DividedMessage = {
  readonly id: string | number;
  readonly name: 'read' | 'write';
  /** JSON of the arguments, if it is JSON: then the whole message is. */
  readonly inputText: string;
  readonly metaText: string | undefined;
};

/** Up to the arguments. Version and id stand here or at the end. */
const BEGINNING =
  /^\{(?:"jsonrpc":"2\.0","id":(0|[1-9]\d{0,14}|"[\w-]{1,64}"),)?"method":"tools\/call","params":\{"name":"(read|write)","arguments":(?=\{)/;
const META = ',"_meta":';
const SHORT_END = '}}';
const LONG_END = '},"jsonrpc":"2.0","id":';
const LONG_END_ID = /^(0|[1-9]\d{0,14}|"[\w-]{1,64}")\}$/;

/**
 * Takes the text of a message apart where its members stand in one of the two orders that clients write; undefined for
 * every other text. `_meta` is the last member of `params` where there is one. What it takes for arguments and `_meta` is
 * to be judged still: either would be no JSON by itself where the cut goes through a string, an object or a list.
 */
export function divideMessage(text: string, hasMeta: boolean): DividedMessage | undefined {
  const begun = BEGINNING.exec(text);
  const name = begun?.[2];
  if (begun === null || (name !== 'read' && name !== 'write')) return undefined;
  const end = findEnd(text, begun[1]);
  if (end === undefined) return undefined;
  const start = begun[0].length;
  if (!hasMeta) return { id: end.id, name, inputText: text.slice(start, end.at), metaText: undefined };
  const meta = text.lastIndexOf(META, end.at);
  if (meta < start) return undefined;
  const metaText = text.slice(meta + META.length, end.at);
  return { id: end.id, name, inputText: text.slice(start, meta), metaText };
}

/** Where `params` ends. */
function findEnd(text: string, firstId: string | undefined) {
  if (firstId !== undefined)
    return text.endsWith(SHORT_END) ? { id: readId(firstId), at: text.length - SHORT_END.length } : undefined;
  const at = text.lastIndexOf(LONG_END);
  const id = at < 0 ? undefined : LONG_END_ID.exec(text.slice(at + LONG_END.length))?.[1];
  return id === undefined ? undefined : { id: readId(id), at };
}

function readId(text: string): string | number {
  return text.startsWith('"') ? text.slice(1, -1) : Number(text);
}
