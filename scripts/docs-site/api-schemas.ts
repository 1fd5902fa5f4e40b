import type { SchemaNode } from './api-document.ts';
import { code, table } from './markdown.ts';

const DEPTH_MAX = 3;
const VALUES_SHOWN_MAX = 30;

export function slugOfHeading(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

/** The type in words; a named one leads to its description. */
export function describeType(schema: SchemaNode | undefined): string {
  if (schema === undefined) return '';
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split('/').at(-1) ?? '';
    return `[${name}](/docs/api/schemas#${slugOfHeading(name)})`;
  }
  const options = schema.anyOf ?? schema.oneOf;
  if (options !== undefined) return [...new Set(options.map(describeType))].join(' or ');
  if (schema.const !== undefined) return code(JSON.stringify(schema.const));
  if (schema.enum !== undefined)
    return schema.enum
      .slice(0, VALUES_SHOWN_MAX)
      .map((value) => code(JSON.stringify(value)))
      .join(', ');
  if (schema.type === 'array') return `list of ${describeType(schema.items) || 'values'}`;
  if (schema.type === 'object' && schema.properties === undefined) {
    const values =
      typeof schema.additionalProperties === 'object' ? describeType(schema.additionalProperties) : '';
    return values === '' ? 'object' : `object of ${values}`;
  }
  const type = [schema.type ?? 'any'].flat().join(' or ');
  return schema.format === undefined ? type : `${type} (${schema.format})`;
}

function describeBounds({ maxLength, minimum, maximum, default: usual }: SchemaNode): string {
  const parts = [
    ...(maxLength === undefined ? [] : [`at most ${maxLength} characters`]),
    ...(minimum === undefined || minimum < -1e9 ? [] : [`from ${minimum}`]),
    ...(maximum === undefined || maximum > 1e12 ? [] : [`to ${maximum}`]),
    ...(usual === undefined ? [] : [`default ${code(JSON.stringify(usual))}`]),
  ];
  return parts.join(', ');
}

/** Rows of an object's members; those of inner objects follow with their path. */
export function listMembers(schema: SchemaNode, prefix = '', depth = 1): string[][] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const path = `${prefix}${name}`;
    const about = [escapeWords(member.description ?? ''), describeBounds(member)].filter(Boolean).join(' – ');
    const row = [code(path), describeType(member), schema.required?.includes(name) ? 'yes' : '', about];
    if (depth >= DEPTH_MAX) return [row];
    const inner = member.type === 'array' ? member.items : member;
    if (inner?.properties === undefined) return [row];
    return [row, ...listMembers(inner, member.type === 'array' ? `${path}[].` : `${path}.`, depth + 1)];
  });
}

export function memberTable(schema: SchemaNode, requiredHead: string): string {
  return table(['member', 'type', requiredHead, 'about'], listMembers(schema));
}

/** Descriptions are Markdown already, but a bar would end the cell, and an angle bracket begin an element. */
export function escapeWords(text: string): string {
  return text
    .split(/(`[^`]*`)/)
    .map((part, index) => (index % 2 === 1 ? part.replaceAll('|', '\\|') : part.replace(/[|<]/g, '\\$&')))
    .join('')
    .replace(/\s*\n+\s*/g, ' ');
}
