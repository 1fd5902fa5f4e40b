import { parentPort, workerData } from 'node:worker_threads';
import { parse } from 'yaml';
import { type Operation, readOperations } from './read-operations.ts';

const PART = 500;

/** Takes one document apart, in a thread of its own: parsing a large one takes hundreds of milliseconds. */
function run(text: string): void {
  const operations = readOperations(read(text));
  for (let at = 0; at < operations.length; at += PART)
    parentPort?.postMessage({ operations: operations.slice(at, at + PART) } satisfies {
      operations: Operation[];
    });
}

function read(text: string): unknown {
  return /^\s*[{[]/.test(text) ? JSON.parse(text) : parse(text, { maxAliasCount: 100 });
}

run(String(workerData));
