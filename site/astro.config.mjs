import { readFileSync } from 'node:fs';
import starlight from '@astrojs/starlight';
import { defineConfig, passthroughImageService } from 'astro/config';

const sidebar = JSON.parse(readFileSync(new URL('src/sidebar.json', import.meta.url), 'utf8'));

export default defineConfig({
  base: '/docs',
  trailingSlash: 'never',
  outDir: './build',
  telemetry: false,
  image: { service: passthroughImageService() },
  // Steps and options are copied: two hyphens must not become a dash, nor a straight quote a curly one.
  markdown: { smartypants: false },
  // Scripts within pages would each need a hash in the policy of the gateway's answers.
  vite: { build: { assetsInlineLimit: 0 } },
  build: { inlineStylesheets: 'never' },
  integrations: [
    starlight({
      title: 'Integration Gateway',
      favicon: '/favicon.svg',
      sidebar,
      credits: false,
      customCss: ['./src/site.css'],
      components: {
        Head: './src/components/Head.astro',
        MarkdownContent: './src/components/MarkdownContent.astro',
        PageTitle: './src/components/PageTitle.astro',
      },
      expressiveCode: { themes: ['github-dark', 'github-light'], styleOverrides: { borderRadius: '0.5rem' } },
    }),
  ],
});
