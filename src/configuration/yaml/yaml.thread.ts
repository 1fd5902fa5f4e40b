import { parentPort } from 'node:worker_threads';
import { readYamlDocument } from './read-document.ts';

/** A thread that reads one file after the other, which would hold up the event loop. */
parentPort?.on('message', (text) => parentPort?.postMessage(readYamlDocument(String(text))));
