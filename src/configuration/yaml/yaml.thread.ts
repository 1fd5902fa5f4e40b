import { parentPort, workerData } from 'node:worker_threads';
import { readYamlDocument } from './read-document.ts';

// The parser makes an error for each bracket too many: with their stacks, 90 KB of them took 10 s and 190 MB.
Error.stackTraceLimit = 0;

/** A thread that reads one file, which would hold up the event loop. */
parentPort?.postMessage(readYamlDocument(String(workerData)));
