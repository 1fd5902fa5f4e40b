import { startGateway } from '../support/gateway.ts';
import { FILE_BYTES_MAX, FILES_MAX, listSizes } from './engine/corpus.ts';
import type { Finding } from './engine/fuzz.ts';
import { type FuzzStage, startFuzzStage } from './engine/stage.ts';
import { TARGETS } from './targets/all.ts';

/** `npm run fuzz` has other seeds, and takes as long as it is given. */
const SEED = 20_261_127;

let stage: FuzzStage;

beforeAll(async () => {
  stage = await startFuzzStage({ start: startGateway });
});

afterAll(() => stage?.close());

const explain = (findings: readonly Finding[]) =>
  findings.map(({ faults, input, replay }) => ({ faults, input, replay }));

describe.each(TARGETS.map((target) => [target.name, target] as const))(
  'inputs of the kind %s',
  (_name, target) => {
    it('that were kept hold what every input has to', async () => {
      const { findings, inputs } = await target.replay(stage);
      expect(explain(findings)).toEqual([]);
      expect(inputs).toBeGreaterThan(0);
    });

    it('that a seed makes hold what every input has to', async () => {
      const { findings, behaviours } = await target.fuzz(stage, { seed: SEED, count: target.shortCount });
      expect(explain(findings)).toEqual([]);
      // Inputs that are all refused at the door would reach no code.
      expect(behaviours.size).toBeGreaterThan(3);
    });

    it('are kept as few small files', () => {
      const sizes = listSizes(target.name);
      expect(sizes.length).toBeLessThanOrEqual(FILES_MAX);
      expect(Math.max(...sizes)).toBeLessThanOrEqual(FILE_BYTES_MAX);
    });
  },
);
