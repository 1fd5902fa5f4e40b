import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import {
  ANSWER_DIFFERENCES,
  type Difference,
  normalizeAnswer,
  normalizeRequest,
  REQUEST_DIFFERENCES,
} from './differential/differences.ts';
import { sentAnswer, sentRequest, writeAnswer } from './differential/messages.ts';
import { type DifferentialStage, startDifferentialStage } from './differential/stage.ts';

/** Others by `FUZZ_SEED`, more by `FUZZ_RUNS`: the nightly run sets both. */
const RUN = {
  seed: Number(process.env.FUZZ_SEED ?? 20_261_127),
  numRuns: Number(process.env.FUZZ_RUNS ?? 250),
};

let stage: DifferentialStage;
beforeAll(async () => {
  stage = await startDifferentialStage();
});
afterAll(() => stage?.close());

const applyAll = <Message>(differences: readonly Difference<Message>[], message: Message): Message =>
  differences.reduce((changed, { apply }) => apply(changed), message);

/** The least messages between which something differs, and what; empty where nothing does. */
function explain<Inputs>({
  failed,
  seed,
  counterexamplePath,
  counterexample,
  errorInstance,
}: fc.RunDetails<Inputs>): string {
  return failed
    ? `seed ${seed}, path ${counterexamplePath}\n${JSON.stringify(counterexample, null, 2)}\n${String(errorInstance)}`
    : '';
}

describe('between a client and a provider', () => {
  it('a request differs from one without the gateway in what docs/proxy.md states, and in nothing else', async () => {
    const property = fc.asyncProperty(sentRequest, async (sent) => {
      const direct = await stage.askDirectly(sent);
      const through = await stage.askThrough(sent);
      const expected = applyAll(REQUEST_DIFFERENCES, direct.request);
      expect(normalizeRequest(through.request)).toEqual(normalizeRequest(expected));
      expect(through.answer.body.equals(direct.answer.body)).toBe(true);
    });
    expect(explain(await fc.check(property, RUN))).toBe('');
  });

  it('an answer does, too', async () => {
    const property = fc.asyncProperty(sentRequest, sentAnswer, async (sent, answer) => {
      stage.answerWith(writeAnswer(answer, sent.method));
      try {
        const direct = (await stage.askDirectly(sent)).answer;
        const through = (await stage.askThrough(sent)).answer;
        const hasDate = direct.fields.some(([name]) => name.toLowerCase() === 'date');
        const expected = applyAll(ANSWER_DIFFERENCES, direct);
        expect(normalizeAnswer(sent.method, hasDate, through)).toEqual(
          normalizeAnswer(sent.method, hasDate, expected),
        );
      } finally {
        stage.answerWith(undefined);
      }
    });
    expect(explain(await fc.check(property, RUN))).toBe('');
  });

  it.each([
    ['Of the request', REQUEST_DIFFERENCES.map(({ name }) => name)],
    ['Of the answer', ANSWER_DIFFERENCES.map(({ name }) => name)],
  ])('%s the page states each difference that is compared for', (title, names) => {
    const page = readFileSync(join(import.meta.dirname, '../../docs/proxy.md'), 'utf8');
    const table = page.split(`| ${title} |`)[1]?.split('\n\n')[0] ?? '';
    const stated = [...table.matchAll(/^\| \*\*([^*]+)\*\* \|/gm)].map(([, name]) => name);
    expect(stated).toEqual(names);
  });
});
