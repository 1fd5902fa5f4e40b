const LENGTH_MAX = 64 * 1024;
const ELEMENTS_MAX = 1_000;
const DEPTH_MAX = 16;

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };
/** A tag at most: its name, attributes that are not read, and how it ends. */
const TAG = /<(\/?)(?:[A-Za-z_][\w.-]{0,60}:)?([A-Za-z_][\w.-]{0,100})(?:\s[^<>]*?)?(\/?)>/y;

type Open = { readonly name: string; readonly members: Map<string, unknown>; text: string };

/**
 * The elements of a short XML answer as nested members, by their local names; the first of several with one name
 * counts, and attributes are left out. Undefined for anything but plain elements and text: no document type, so no
 * entity but the five of XML itself, no comment and no CDATA section. Linear in the text, which is bounded.
 */
export function readXmlMembers(xml: string): Record<string, unknown> | undefined {
  const start = /^\ufeff?\s*(?:<\?xml[^<>?]{0,200}\?>\s*)?/.exec(xml)?.[0].length ?? 0;
  if (xml.length > LENGTH_MAX) return undefined;
  const root: Open = { name: '', members: new Map(), text: '' };
  const open: Open[] = [root];
  let elements = 0;
  for (let at = start; at < xml.length; ) {
    const next = xml.indexOf('<', at);
    const inner = open.at(-1) ?? root;
    inner.text += xml.slice(at, next < 0 ? xml.length : next);
    if (next < 0) break;
    TAG.lastIndex = next;
    const [tag, isEnd, name = '', isEmpty] = TAG.exec(xml) ?? [];
    if (tag === undefined) return undefined;
    at = next + tag.length;
    if (isEnd) {
      if (inner.name !== name || open.length === 1) return undefined;
      open.pop();
      place(open.at(-1) ?? root, name, contentOf(inner));
      continue;
    }
    elements += 1;
    if (elements > ELEMENTS_MAX || open.length > DEPTH_MAX) return undefined;
    if (isEmpty) place(inner, name, '');
    else open.push({ name, members: new Map(), text: '' });
  }
  const isWhole = open.length === 1 && root.members.size === 1 && root.text.trim() === '';
  return isWhole ? Object.fromEntries(root.members) : undefined;
}

function place({ members }: Open, name: string, value: unknown): void {
  if (!members.has(name)) members.set(name, value);
}

/** Members where there are any, else the text. */
function contentOf({ members, text }: Open): unknown {
  if (members.size > 0) return Object.fromEntries(members);
  return text.trim().replace(/&(lt|gt|amp|quot|apos);/g, (_whole, name: string) => ENTITIES[name] ?? '');
}
