import type { Drift, Planned } from './api.ts';

const SIGNS = { create: '+', update: '~', delete: '-' } as const;
const VALUE_LENGTH_MAX = 200;

type Field = Planned['changes'][number]['fields'][number];

/** A plan as a person reads it. */
export function renderPlan(
  project: string,
  { changes, summary, adopted, unmanaged, stateHash }: Planned,
): string {
  const lines = [`Project ${project}`];
  for (const { action, type, name, fields } of changes) {
    lines.push(`  ${SIGNS[action]} ${type} ${name}`);
    lines.push(...fields.map((field) => `      ${renderField(field)}`));
  }
  if (adopted.length > 0) lines.push(`  Managed by the file from now on: ${list(adopted)}`);
  if (unmanaged.length > 0) lines.push(`  Made by hand, left alone: ${list(unmanaged)}`);
  lines.push(
    changes.length === 0
      ? 'Nothing to change.'
      : `${summary.create} to create, ${summary.update} to change, ${summary.delete} to delete.`,
    `State: ${stateHash}`,
  );
  return lines.join('\n');
}

/** The same of what was changed by hand. */
export function renderDrift(project: string, { objects, unmanaged, drifted, lastApplied }: Drift): string {
  const lines = [`Project ${project}`];
  for (const { state, type, name, fields } of objects) {
    if (state === 'in_sync') continue;
    lines.push(
      `  ${state === 'missing' ? '-' : '~'} ${type} ${name}${state === 'missing' ? ' is gone' : ''}`,
    );
    lines.push(...fields.map((field) => `      ${renderField(field)}`));
  }
  if (unmanaged.length > 0) lines.push(`  Made by hand: ${list(unmanaged)}`);
  if (lastApplied === null) lines.push('No file was applied yet.');
  else lines.push(drifted ? 'There is drift.' : 'No drift.');
  return lines.join('\n');
}

function renderField({ path, from, to, secret, reference }: Field): string {
  if (secret === true) return `${path}: ${reference} (another value)`;
  return from === null || from === undefined
    ? `${path}: ${value(to)}`
    : `${path}: ${value(from)} → ${value(to)}`;
}

function value(shown: unknown): string {
  const text = JSON.stringify(shown) ?? 'null';
  return text.length <= VALUE_LENGTH_MAX ? text : `${text.slice(0, VALUE_LENGTH_MAX)}…`;
}

function list(objects: readonly { readonly type: string; readonly name: string }[]): string {
  return objects.map(({ type, name }) => `${type} ${name}`).join(', ');
}
