import { normalizePath, type PathPattern } from './paths.ts';

/** A segment of a described path: text, or what stands around its parameters. `isRest`: it may be several. */
type TemplateSegment =
  | { readonly text: string }
  | { readonly text?: undefined; readonly start: string; readonly end: string; readonly isRest: boolean };

/** A path as an API's document describes it, with `{name}` for a parameter and `{+name}` for one that may hold slashes. */
export type PathTemplate = readonly TemplateSegment[];

export function readTemplate(path: string): PathTemplate {
  return normalizePath(path).split('/').slice(1).map(readSegment);
}

function readSegment(text: string): TemplateSegment {
  const opening = text.indexOf('{');
  if (opening < 0) return { text };
  return {
    start: text.slice(0, opening),
    end: text.slice(text.lastIndexOf('}') + 1),
    isRest: text.includes('{+'),
  };
}

/** Whether the pattern matches the path for some values of its parameters; what follows one with slashes is not compared. */
export function mayMatch({ segments, isOpen }: PathPattern, template: PathTemplate): boolean {
  for (let index = 0; index < template.length; index += 1) {
    const own = template[index];
    const wanted = segments[index];
    if (own === undefined || (own.text === undefined && own.isRest)) return true;
    if (wanted === undefined) return isOpen;
    if (!mayBe(own, wanted)) return false;
  }
  return segments.length <= template.length;
}

/** `wanted` is a text, `*` for any segment, or `*:run` for one that ends so. */
function mayBe(own: TemplateSegment, wanted: string): boolean {
  if (own.text === undefined) {
    const { start, end } = own;
    if (wanted.startsWith('*')) {
      const ending = wanted.slice(1);
      return end.endsWith(ending) || ending.endsWith(end);
    }
    return wanted.length >= start.length + end.length && wanted.startsWith(start) && wanted.endsWith(end);
  }
  if (!wanted.startsWith('*')) return own.text === wanted;
  return own.text.length >= wanted.length && own.text.endsWith(wanted.slice(1));
}
