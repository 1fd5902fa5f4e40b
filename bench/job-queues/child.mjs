import { queues } from './queues.mjs';

/** A process with a worker; a job with the key `hang` never ends. */
const [, , name, url] = process.argv;
await queues[name].worker(url, {
  concurrency: 1,
  handle: (key) => {
    process.send(key);
    return key === 'hang' ? new Promise(() => undefined) : Promise.resolve();
  },
});
process.send('ready');
