import fc from 'fast-check';
import { z } from 'zod';
import { readField, readJson } from '../engine/answers.ts';
import { tell } from '../engine/raw-client.ts';
import type { FuzzStage } from '../engine/stage.ts';
import { readStrictly, type StrictRequest } from '../engine/strict-http.ts';
import type { Observation, Target } from '../engine/target.ts';
import { type Piece, renderText, type Text, textSchema } from '../engine/text.ts';
import { httpBytes } from './http-inputs.ts';

const schema = z.strictObject({
  /** What is written on the connection. */
  bytes: textSchema,
  /** Where it is cut into packets, in parts of a thousand. */
  cuts: z.array(z.int().min(0).max(1000)).max(8),
});
export type HttpInput = z.infer<typeof schema>;

const inputs: fc.Arbitrary<HttpInput> = fc.record({
  bytes: httpBytes.map((text): Piece[] => [...text]),
  cuts: fc.array(fc.integer({ min: 0, max: 1000 }), { maxLength: 3 }),
});

/** Bytes on a raw socket. What the provider gets must be among the requests that the strictest reader finds in them. */
export const httpTarget: Target<HttpInput> = {
  name: 'http',
  schema,
  inputs,
  statedFaults: new Set([
    ...['http_version_not_supported', 'upgrade_not_supported', 'loop_detected', 'shutting_down'],
    // Silent or unknown hosts that the path names.
    ...['upstream_unreachable', 'upstream_invalid_response'],
  ]),
  shortCount: 400,
  async send(stage, { bytes, cuts }) {
    const number = String(stage.nextNumber());
    const values = { ...stage.values, n: number };
    const sent = Buffer.from(renderText(bytes, values), 'latin1');
    const wanted = readStrictly(sent);
    stage.recorder.takeRequests();
    const { answers, fault } = await tell(
      stage.gateway.port,
      cutInto(sent, cuts),
      wanted.map(({ method }) => method),
    );
    const faults = [
      ...(fault === undefined ? [] : [`an answer that is none: ${fault}`]),
      ...(answers.length > wanted.length + 1
        ? [`${answers.length} answers to ${wanted.length} requests`]
        : []),
      ...findForeignEchoes(stage, wanted, answers),
      ...findSmuggled(stage, wanted.slice(0, countServed(answers))),
      ...(await findPoisoned(stage, number)),
    ];
    return { answers, faults };
  },
};

function cutInto(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const at = [0, ...cuts.map((cut) => Math.floor((bytes.length * cut) / 1000)), bytes.length];
  const sorted = at.toSorted((left, right) => left - right);
  return sorted
    .slice(1)
    .map((end, index) => bytes.subarray(sorted[index], end))
    .filter(({ length }) => length > 0);
}

/** Behind an answer that closes the connection no further request of it may be processed (RFC 9112 section 9.6). */
function countServed(answers: Observation['answers']): number {
  const closing = answers.findIndex((answer) => /\bclose\b/i.test(readField(answer, 'connection') ?? ''));
  return closing < 0 ? Number.POSITIVE_INFINITY : closing + 1;
}

const pathBehind = (stage: FuzzStage, target: string): string | undefined => {
  const { proxy = '' } = stage.values;
  if (!target.startsWith(proxy)) return undefined;
  const path = target.slice(proxy.length);
  return path === '' || path.startsWith('?') ? `/${path}` : path;
};

/** Requests at the provider that the strictest reader does not find in what was sent, or that hold what is the gateway's. */
function findSmuggled(stage: FuzzStage, wanted: readonly StrictRequest[]): string[] {
  const left = wanted.map(({ method, target, body }) => ({ method, path: pathBehind(stage, target), body }));
  const faults = stage.recorder.takeFaults();
  for (const { method, target, body, fields } of stage.recorder.takeRequests()) {
    const index = left.findIndex(
      (one) => one.method === method && one.path === target && one.body.equals(body),
    );
    if (index < 0)
      faults.push(`the provider got a request that was not sent: ${method} ${target.slice(0, 200)}`);
    else left.splice(index, 1);
    const text = fields.flat().join('\n');
    if (text.includes(stage.values.token ?? '')) faults.push("the provider got the user's token");
    if (fields.filter(([name]) => name.toLowerCase() === 'authorization').length !== 1)
      faults.push('the provider got no credential, or several');
  }
  return faults;
}

/** Answers of the provider to another request than the one at their place. */
function findForeignEchoes(
  stage: FuzzStage,
  wanted: readonly StrictRequest[],
  answers: Observation['answers'],
): string[] {
  return answers.flatMap((answer, index) => {
    const json = readJson(answer);
    if (answer.status !== 200 || typeof json !== 'object' || json === null || !('path' in json)) return [];
    const asked = pathBehind(stage, wanted[index]?.target ?? '')?.split('?')[0] || '/';
    return json.path === asked ? [] : [`answer ${index} is to ${String(json.path)}, not to ${asked}`];
  });
}

/** The next request of another caller goes its way. */
export async function findPoisoned(stage: FuzzStage, number: string): Promise<string[]> {
  const path = `/marker/${number}`;
  const request = buildMarker(stage, path);
  const answer = await stage.client.ask(request, 'GET').catch(String);
  stage.recorder.takeRequests();
  if (typeof answer === 'string') return [`the next request: ${answer}`];
  const body = answer.body.toString();
  return body === JSON.stringify({ path })
    ? []
    : [`the next request was answered ${answer.status} ${body.slice(0, 200)}`];
}

function buildMarker({ values }: FuzzStage, path: string): Buffer {
  const text: Text = [
    `GET {{proxy}}${path} HTTP/1.1\r\nHost: {{host}}\r\nAuthorization: Bearer {{token}}\r\n\r\n`,
  ];
  return Buffer.from(renderText(text, values), 'latin1');
}
