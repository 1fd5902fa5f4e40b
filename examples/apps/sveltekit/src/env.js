import { defineEnvVars } from '@sveltejs/kit/env';

/** What the server reads when it starts; the browser gets none of these but what `load` of the page hands over. */
export const variables = defineEnvVars({
  GATEWAY_URL: {},
  PROJECT_ID: {},
  PROVIDER: {},
  GATEWAY_API_KEY: {},
  EVENT_SECRET: {},
  SESSION_SECRET: {},
  // vite.config.js reads it as well.
  APP_URL: {},
});
