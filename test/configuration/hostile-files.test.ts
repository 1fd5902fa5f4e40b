import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createSender,
  type EventLoopMeter,
  findOverBudget,
  type HostileRequest,
  meterEnvironment,
  openEventLoopMeter,
} from '../support/event-loop.ts';
import { callApi, type Gateway, type Project, provision } from '../support/gateway.ts';
import { spawnGateway } from '../support/spawn-gateway.ts';

const LONG_MS = 120_000;
const REFERENCE = `\${env:A}`;

let gateway: Gateway;
let project: Project;
let meter: EventLoopMeter;
let sender: ReturnType<typeof createSender>;

beforeAll(async () => {
  const socketPath = join(tmpdir(), `meter-${randomBytes(6).toString('hex')}.sock`);
  const env = { RATE_LIMIT_MANAGEMENT_PER_MINUTE: '0', ...meterEnvironment(socketPath) };
  gateway = await spawnGateway({ env });
  project = await provision(gateway);
  meter = await openEventLoopMeter(socketPath);
  sender = createSender(gateway.url);
});
afterAll(async () => {
  meter?.close();
  sender?.close();
  await gateway?.stop();
});

type Body = { readonly configuration: unknown; readonly overlays?: unknown; readonly secrets?: unknown };

const named = (count: number, member: object) =>
  Array.from({ length: count }, (_, at) => ({ name: `m${at}`, ...member }));
const many = <Value>(count: number, make: (at: number) => Value) =>
  Array.from({ length: count }, (_, at) => make(at));
const ENTRY = { type: 'gateway_access', provider: 'hubspot', access: 'read' };
const zeros = (count: number) => `[${Array(count).fill('0').join(',')}]`;
/** Around `inner`, names within each other. */
const nest = (count: number, length: number, inner: unknown) =>
  many(count, (at) => `${'k'.repeat(length)}${at}`).reduce((value, name) => ({ [name]: value }), inner);

/** Files whose size says little of what they cost: names, faults, references and secrets that multiply each other. */
const FILES: Readonly<Record<string, () => Body>> = {
  'a long name around references': () => ({
    configuration: { ['k'.repeat(250_000)]: Array(9_000).fill(REFERENCE) },
  }),
  'long names around references': () => ({ configuration: nest(30, 4_000, Array(9_000).fill(REFERENCE)) }),
  'a long name in text': () => ({ configuration: `? "${'k'.repeat(5_000)}"\n: ${zeros(9_900)}` }),
  'long names in text': () => ({
    configuration: `${many(30, (at) => `{? "${'k'.repeat(200)}${at}" : `).join('')}${zeros(9_000)}${'}'.repeat(30)}`,
  }),
  'references without values': () => ({ configuration: { mandates: named(3_000, { entries: REFERENCE }) } }),
  'references with values': () => ({
    configuration: {
      destinations: named(900, { url: 'https://a.example/x', description: REFERENCE }),
      mandates: named(900, { entries: [{ ...ENTRY, provider: REFERENCE }] }),
    },
    secrets: { A: 'hubspot' },
  }),
  'one name again and again': () => ({
    configuration: { mandates: Array(999).fill({ name: 'm', entries: [ENTRY] }) },
  }),
  'faults under many overlays': () => ({
    configuration: { mandates: named(400, { a: 1, b: 2 }) },
    overlays: many(10, () => ({ mandates: named(400, { a: 1 }) })),
  }),
  'secrets that begin as refusals do': () => ({
    configuration: { mandates: Array(20).fill(REFERENCE) },
    secrets: Object.fromEntries(many(1_900, (at) => [`B${at}`, `The value of this secret ${at}`])),
  }),
};

it(
  'no file holds the event loop for 50 ms, nor does its refusal grow with it',
  async () => {
    const headers = [
      ['authorization', `Bearer ${project.apiKey}`],
      ['content-type', 'application/json'],
    ] as const;
    const target = `/v1/projects/${project.id}/configuration`;
    const requests = Object.entries(FILES).map(
      ([name, make]): HostileRequest => ({
        ...{ name, method: 'POST', target: `${target}/plan`, headers },
        body: () => JSON.stringify(make()),
      }),
    );
    expect(await findOverBudget({ meter, sender }, requests)).toEqual([]);
    for (const [name, make] of Object.entries(FILES)) {
      const { text } = await callApi(gateway.url, 'POST', `${target}/plan`, {
        bearer: project.apiKey,
        body: { ...make() },
      });
      expect([name, text.length < 64 * 1024]).toEqual([name, true]);
    }
  },
  LONG_MS,
);

it.each(['{a}', '[]', '[', '- '])(
  'a file of %s and nothing else is read to its first twenty faults',
  async (unit) => {
    const { body } = await callApi(gateway.url, 'POST', `/v1/projects/${project.id}/configuration/plan`, {
      bearer: project.apiKey,
      body: { configuration: unit.repeat(90_000 / unit.length) },
    });
    expect([body.code, body.errors?.length > 0]).toEqual(['invalid_request', true]);
  },
);
