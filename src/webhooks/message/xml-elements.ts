/**
 * Reads single elements out of XML by their local names, without a parser: what is read is verified or came to an
 * unguessable address, names no entity and is only passed on. Linear in the text.
 */

/** The texts of the first elements with this local name, tags included, in order; nested ones of the same name are taken as one. */
export function findElements(xml: string, name: string, countMax: number): string[] {
  const found: string[] = [];
  let at = 0;
  while (found.length < countMax) {
    const start = findTag(xml, name, at, '<');
    if (start === undefined) return found;
    const close = findTag(xml, name, start.end, '</');
    if (close === undefined) return found;
    found.push(xml.slice(start.start, close.end));
    at = close.end;
  }
  return found;
}

/**
 * The text of the first element with this local name, with the five predefined entities resolved. `a.b`: of the first b
 * within the first a; `a@b`: of an attribute of a, without a namespace's prefix.
 */
export function readXml(xml: string, name: string): string | undefined {
  const [outer = '', inner] = name.split(/[.@]/, 2);
  if (inner === undefined) return readElementText(xml, outer);
  if (name.includes('@')) return readAttribute(xml, outer, inner);
  const [element] = findElements(xml, outer, 1);
  return element === undefined ? undefined : readElementText(element, inner);
}

function readAttribute(xml: string, element: string, attribute: string): string | undefined {
  const tag = findTag(xml, element, 0, '<');
  const written = tag === undefined ? [] : xml.slice(tag.start, tag.end).slice(0, TAG_LENGTH_MAX).split(/\s/);
  const found = written.find((each) => each.split('=', 1)[0]?.split(':').at(-1) === attribute);
  const [, value] = found?.split('"', 3) ?? [];
  return value?.split(':').at(-1);
}

const TAG_LENGTH_MAX = 2_000;

function readElementText(xml: string, name: string): string | undefined {
  const start = findTag(xml, name, 0, '<');
  const close = start === undefined ? undefined : findTag(xml, name, start.end, '</');
  if (start === undefined || close === undefined) return undefined;
  const text = xml.slice(start.end, close.start).trim();
  return text === '' || text.includes('<') ? undefined : resolveEntities(text);
}

type Tag = { readonly start: number; readonly end: number };

/** The next `<name …>`, `<prefix:name …>` or, with `</`, the tag that closes one. */
function findTag(xml: string, name: string, from: number, opening: '<' | '</'): Tag | undefined {
  let at = xml.indexOf(name, from);
  while (at >= 0) {
    let next = at + name.length;
    const start = /^[\s/>]$/.test(xml[next] ?? '') ? findTagStart(xml, at, opening) : undefined;
    if (start !== undefined) {
      const end = xml.indexOf('>', next);
      if (end < 0) return undefined;
      if (opening === '</' || xml[end - 1] !== '/') return { start, end: end + 1 };
      // Names within this tag would each be followed to the same end.
      next = end;
    }
    at = xml.indexOf(name, next);
  }
  return undefined;
}

const PREFIX_LENGTH_MAX = 30;

function findTagStart(xml: string, nameStart: number, opening: '<' | '</'): number | undefined {
  const before = xml.slice(Math.max(0, nameStart - PREFIX_LENGTH_MAX), nameStart);
  const [tag] =
    (opening === '<' ? /<(?:[A-Za-z][\w-]{0,20}:)?$/ : /<\/(?:[A-Za-z][\w-]{0,20}:)?$/).exec(before) ?? [];
  return tag === undefined ? undefined : nameStart - tag.length;
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

function resolveEntities(text: string): string {
  return text.replace(/&(lt|gt|amp|quot|apos);/g, (_whole, name: string) => ENTITIES[name] ?? '');
}
