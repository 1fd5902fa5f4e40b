import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

/** Imported before a program: writes the URL of every module that it loads, one a line, to the file MODULE_LOG. */
registerHooks({
  load(url, context, nextLoad) {
    appendFileSync(process.env.MODULE_LOG, `${url}\n`);
    return nextLoad(url, context);
  },
});
