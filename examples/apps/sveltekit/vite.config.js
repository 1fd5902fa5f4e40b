import adapter from '@sveltejs/adapter-node';
import { sveltekit } from '@sveltejs/kit/vite';
import { defineConfig } from 'vite';

export default defineConfig({
  plugins: [
    sveltekit({
      adapter: adapter(),
      // Against cross-site request forgery: forms of other origins are refused.
      paths: { origin: process.env.APP_URL },
      csp: { directives: { 'script-src': ['self'], 'base-uri': ['none'], 'frame-ancestors': ['none'] } },
    }),
  ],
});
