import { parentPort, workerData } from 'node:worker_threads';
import { readYamlDocument } from './read-document.ts';

/** A thread that reads one file, which would hold up the event loop. */
parentPort?.postMessage(readYamlDocument(String(workerData)));
