/**
 * Loaded into the gateway before its own modules: on SIGUSR2 it collects garbage and appends one line of JSON to SOAK_PROBE.
 * A file, since a socket would count among those that are measured.
 */
import { appendFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { getHeapCodeStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const { SOAK_PROBE: path } = process.env;
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
const delay = monitorEventLoopDelay({ resolution: 10 });
delay.enable();

process.on('SIGUSR2', () => {
  // What the collection costs is not the gateway's.
  const loopP99Ms = delay.percentile(99) / 1e6;
  collect();
  collect();
  const { rss, heapUsed: used, external } = process.memoryUsage();
  const { code_and_metadata_size: machineCode, bytecode_and_metadata_size: bytecode } =
    getHeapCodeStatistics();
  // Apart, since V8 goes on compiling the program for hours, and a leak of objects must not hide behind that.
  const compiled = machineCode + bytecode;
  const heapWithoutCode = used - compiled;
  const timers = process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
  appendFileSync(
    path,
    `${JSON.stringify({ rss, heapWithoutCode, compiled, external, timers, loopP99Ms })}\n`,
  );
  delay.reset();
});
