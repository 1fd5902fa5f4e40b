import { HttpError } from '../../http/errors.ts';
import { OutboundError } from '../../platform/outbound.ts';
import { type Tracing, traceWork } from '../../platform/telemetry.ts';
import { PollFailure } from '../pages/poll-failure.ts';
import type { PollTask } from '../pages/poll-task.ts';
import type { StepEnd } from './step-end.ts';

/** A page of a poll as a span that begins a trace; the requests and the refresh that it takes belong to it. */
export function tracePage(tracing: Tracing, task: PollTask, work: () => Promise<StepEnd>): Promise<StepEnd> {
  if (!tracing.isOn) return work();
  return traceWork(
    tracing,
    'poll page',
    { kind: 'internal', isRoot: true },
    async (span) => {
      span.set({
        'gateway.project.id': task.projectId,
        'gateway.provider': task.serviceProvider,
        'gateway.integration.id': task.integrationId,
        'gateway.connection.id': task.connectionId,
        'gateway.poll.id': task.pollId,
      });
      const end = await work();
      span.set({ 'gateway.outcome': end.outcome });
      return end;
    },
    nameError,
  );
}

function nameError(error: unknown): string {
  if (error instanceof PollFailure || error instanceof HttpError) return error.code;
  return error instanceof OutboundError ? error.kind : 'internal_error';
}
