import { showText } from '../../src/approvals/show-text.ts';
import type { Drift, Planned } from './api.ts';

const SIGNS = { create: '+', update: '~', delete: '-' } as const;

type Field = Planned['changes'][number]['fields'][number];

/**
 * A plan as a person reads it: values in full, since what is cut off could be what matters, and with every character named that a
 * terminal would obey instead of showing it. Names and values may be another person's.
 */
export function renderPlan(
  project: string,
  { changes, summary, adopted, unmanaged, stateHash }: Planned,
): string {
  const lines = [`Project ${showText(project)}`];
  for (const { action, type, name, fields } of changes) {
    lines.push(`  ${SIGNS[action]} ${type} ${showText(name)}`);
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
  const lines = [`Project ${showText(project)}`];
  for (const { state, type, name, fields } of objects) {
    if (state === 'in_sync') continue;
    lines.push(
      `  ${state === 'missing' ? '-' : '~'} ${type} ${showText(name)}${state === 'missing' ? ' is gone' : ''}`,
    );
    lines.push(...fields.map((field) => `      ${renderField(field)}`));
  }
  if (unmanaged.length > 0) lines.push(`  Made by hand: ${list(unmanaged)}`);
  if (lastApplied === null) lines.push('No file was applied yet.');
  else lines.push(drifted ? 'There is drift.' : 'No drift.');
  return lines.join('\n');
}

function renderField({ path, from, to, secret, reference }: Field): string {
  const member = showText(path);
  if (secret === true) return `${member}: ${showText(reference ?? '')} (another value)`;
  return from === null || from === undefined
    ? `${member}: ${value(to)}`
    : `${member}: ${value(from)} → ${value(to)}`;
}

function value(shown: unknown): string {
  return showText(JSON.stringify(shown) ?? 'null');
}

function list(objects: readonly { readonly type: string; readonly name: string }[]): string {
  return objects.map(({ type, name }) => `${type} ${showText(name)}`).join(', ');
}

/** JSON that says the same in characters that a terminal shows. */
export function renderJson(answer: unknown): string {
  return (JSON.stringify(answer, null, 2) ?? 'null')
    .split('\n')
    .map((line) => line.replaceAll(/[^\x20-\x7e]/g, escapeUnit))
    .join('\n');
}

function escapeUnit(unit: string): string {
  return showText(unit) === unit ? unit : `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
