import { createRunner } from 'jest-light-runner';

const LightRunner = createRunner({ runtime: 'child_process' });
const TELL_AGAIN_MS = 1_000;

/**
 * jest-light-runner in processes. A worker of it asks for its settings once, and waits for ever where the answer to
 * another worker's question reached it together with its first file: it had not begun to listen then. So they are told
 * again, which a worker that has them ignores.
 */
export default class Runner extends LightRunner {
  async runTests(...given) {
    // With one worker at most, files run in this very process.
    if (this._runtime !== 'child_process') return super.runTests(...given);
    const timer = setInterval(() => this.#tellAgain(), TELL_AGAIN_MS);
    try {
      return await super.runTests(...given);
    } finally {
      clearInterval(timer);
    }
  }

  #tellAgain() {
    for (const [projectConfig, { pool }] of this._testRunners) {
      const workerData = { globalConfig: this._globalConfig, projectConfig, runtime: this._runtime };
      for (const { process } of pool.threads)
        if (process.connected) process.send({ type: 'jest-light-runner-worker-data', workerData });
    }
  }
}
