import type { WebhookPayload } from '../../catalog/schema/provider-webhooks.schema.ts';
import { isRecord } from '../../lib/is-record.ts';
import { isSelected, type PathStep, parsePath } from '../../lib/json-path.ts';
import { locateDocument, locateElements, locateMember, type SourceRange } from '../../lib/json-source.ts';
import type { PayloadItem } from '../message/item-values.ts';

/** Events of one webhook; providers send a thousand at most. */
export const ITEMS_MAX = 10_000;
/** Characters of all events together where each has the whole body. */
const ROOT_LENGTH_MAX = 64 * 1024 * 1024;

type Place = {
  readonly value: unknown;
  readonly range: SourceRange;
  /** The element of a list that the value is in, or the document. */
  readonly element: unknown;
  /** The element around that one. */
  readonly parent: unknown;
};

/**
 * The events in a JSON document, each with its bytes. Without a list in the description, or in the document, the document
 * is the one event; an empty object or list is a heartbeat without events. Undefined where there are too many, or too many
 * for the size of a body that each of them has.
 */
export function readPayloadItems(
  json: unknown,
  text: string,
  { items, data }: Pick<WebhookPayload, 'items' | 'data'>,
): readonly PayloadItem[] | undefined {
  const whole: Place = { value: json, range: locateDocument(text), element: json, parent: json };
  const document = text.slice(whole.range.start, whole.range.end);
  const paths = [items ?? []].flat();
  const lists = paths.map((path) => follow(text, whole, parsePath(path)));
  const found = lists.filter((list) => list !== undefined).flat();
  if (found.length > ITEMS_MAX) return undefined;
  if (data === 'root' && found.length * document.length > ROOT_LENGTH_MAX) return undefined;
  if (lists.some((list) => list !== undefined)) {
    return found.map(({ value, range, parent }) => ({
      value,
      parent,
      source: data === 'root' ? document : text.slice(range.start, range.end),
    }));
  }
  return isEmpty(json) ? [] : [{ value: json, source: document, parent: json }];
}

function isEmpty(json: unknown): boolean {
  return isRecord(json) ? Object.keys(json).length === 0 : Array.isArray(json) && json.length === 0;
}

/** The elements that a path leads to; undefined where the document has no such list. */
function follow(text: string, whole: Place, steps: readonly PathStep[]): Place[] | undefined {
  let places = [whole];
  let hasList = false;
  for (const step of steps) {
    if (step === 'each') {
      const lists = places.filter(({ value }) => Array.isArray(value));
      hasList ||= lists.length > 0;
      places = lists.flatMap((place) => listElements(text, place));
    } else if (step !== 'any') {
      places = places.flatMap((place) => findMember(text, place, step.name));
      const { where } = step;
      if (where !== undefined) {
        const elements = places.flatMap((place) => listElements(text, place));
        places = elements.filter(({ value }) => isSelected(value, where)).slice(0, 1);
      }
    }
  }
  return hasList ? places : undefined;
}

function listElements(text: string, { value, range, element }: Place): Place[] {
  if (!Array.isArray(value)) return [];
  const ranges = locateElements(text, range, ITEMS_MAX + 1);
  return ranges.map((each, index) => ({
    value: value[index],
    range: each,
    element: value[index],
    parent: element,
  }));
}

function findMember(text: string, { value, range, element, parent }: Place, name: string): Place[] {
  if (!isRecord(value) || !Object.hasOwn(value, name)) return [];
  const found = locateMember(text, range, name);
  return found === undefined ? [] : [{ value: value[name], range: found, element, parent }];
}
