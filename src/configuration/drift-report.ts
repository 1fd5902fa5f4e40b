import type { z } from 'zod';
import type { driftSchema } from './configuration.schema.ts';
import { toDriftedWire, toNamedWire } from './configuration.schema.ts';
import { type DriftedObject, findDrift } from './drift.ts';
import type { CurrentState } from './objects.ts';
import { findManaged, type Plan } from './plan.ts';

/** What an operator reads of the drift: of the last apply, or of what a file says. */
export function readDriftReport(state: CurrentState, plan?: Plan): z.input<typeof driftSchema> {
  const objects = plan === undefined ? findDrift(state) : driftOfPlan(state, plan);
  const unmanaged = state.objects.filter(
    (object) => object.kind !== 'project' && findManaged(state, object) === undefined,
  );
  const last = state.managed.toSorted((one, other) => other.appliedAt.getTime() - one.appliedAt.getTime())[0];
  return {
    stateHash: state.hash,
    drifted: objects.some((object) => object.state !== 'in_sync'),
    objects: objects.map(toDriftedWire),
    unmanaged: unmanaged.map(toNamedWire),
    lastApplied: last === undefined ? null : { at: last.appliedAt.toISOString(), by: last.appliedBy },
  };
}

/** Of what the file lists: what an apply of it would put right. */
function driftOfPlan(state: CurrentState, plan: Plan): DriftedObject[] {
  return plan.listed.map(({ wanted, current }) => {
    const { kind } = wanted;
    const name = kind === 'project' ? (current?.name ?? wanted.name) : wanted.name;
    const known = state.managed.find((object) => object.kind === kind && object.name === name);
    const objectId = current?.id ?? known?.objectId ?? '';
    if (current === undefined) return { kind, name, objectId, state: 'missing', fields: [] };
    const change = plan.changes.findLast((one) => one.wanted === wanted);
    const fields = (change?.fields ?? []).map((field) =>
      'secret' in field ? field : { ...field, from: field.to, to: field.from },
    );
    return { kind, name, objectId, state: fields.length > 0 ? 'drifted' : 'in_sync', fields };
  });
}
