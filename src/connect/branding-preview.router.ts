import { z } from 'zod';
import type { Provider } from '../catalog/schema/provider.schema.ts';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { HttpError } from '../http/errors.ts';
import { html, preparePage, type SafeHtml } from '../http/html.ts';
import type { Access } from '../projects/access.ts';
import { brandingFields, projectParams } from '../projects/projects.schema.ts';
import type { ConnectFlow } from './connect-flow.ts';
import { type Brand, brandBanner, brandStyle, findLogoOrigin } from './pages/brand.ts';
import { type Choice, choosePage } from './pages/choose-page.ts';
import { findFace } from './pages/face.ts';
import { failurePage, successPage } from './pages/outcome-page.ts';
import { chooseLanguage, type Texts } from './texts/language.ts';

const PAGES = ['choose', 'connected', 'failed'] as const;
type Page = (typeof PAGES)[number];

/** Fewer than bring a search with its script. */
const CHOICES_MAX = 4;
const SAMPLES_MAX = 3;

const previewQuery = z.strictObject({
  ...brandingFields,
  page: z.enum(PAGES).default('choose'),
  locale: z.string().max(35).optional().meta({ description: 'Of the page’s words, as a BCP 47 tag.' }),
});

/** A hosted page as end users would see it, with a branding that is not saved yet. It may be framed by the dashboard. */
export function createBrandingPreviewEndpoints(deps: {
  access: Access;
  findBrand(projectId: string): Promise<Brand | undefined>;
  listChoices: ConnectFlow['listChoices'];
  /** Stand on the page of a project that has no integrations yet. */
  listSamples(count: number): readonly Provider[];
}): Endpoint[] {
  async function choicesFor(
    projectId: string,
    { categories }: Pick<Texts, 'categories'>,
  ): Promise<readonly Choice[]> {
    const { choices } = await deps.listChoices(
      { projectId, integrationIds: null },
      { query: '', from: 0, categories },
    );
    if (choices.length > 0) return choices.slice(0, CHOICES_MAX);
    return deps.listSamples(SAMPLES_MAX).map((provider) => ({
      ...findFace(provider, { id: '', name: null, logoHash: null }),
      integrationId: provider.id,
      provider,
      distinction: '',
      connections: 0,
    }));
  }

  const preview = endpoint({
    operationId: 'previewBranding',
    method: 'get',
    path: '/projects/{projectId}/branding/preview',
    summary: 'See a connect page in a branding',
    description:
      'The hosted page with the branding of the query; without a name there, that of the project. It takes no input and connects nothing.',
    tag: 'Projects',
    principals: ['operator'],
    leastRole: 'viewer',
    params: projectParams,
    query: previewQuery,
    success: { status: 200, mediaTypes: ['text/html'], description: 'The page' },
    errors: ['project_not_found'],
    async handler({ principal, params: { projectId }, query }) {
      await deps.access.requireProjectAccess(principal, projectId, 'read');
      const saved = await deps.findBrand(projectId);
      if (saved === undefined) throw new HttpError('project_not_found');
      const { displayName: name = saved.name, logoUrl, color } = query;
      const brand: Brand = { name, logoUrl, color };
      const language = chooseLanguage([query.locale], undefined);
      const choices = await choicesFor(projectId, language.texts);
      const { headers, document } = preparePage({
        title: brand.name,
        lang: language.tag,
        dir: language.dir,
        banner: brandBanner(brand),
        imageOrigin: findLogoOrigin(brand),
        isFramed: true,
        body: (nonce) => bodyOf(query.page, language.texts, language.tag, choices, nonce),
        head: (nonce) => html`${brandStyle(brand, nonce)}`,
      });
      return { headers, stream: async (response) => void response.end(document) };
    },
  });

  return [preview];
}

function bodyOf(page: Page, texts: Texts, tag: string, choices: readonly Choice[], nonce: string): SafeHtml {
  const provider = choices[0]?.provider.name ?? '';
  switch (page) {
    case 'choose':
      return choosePage(
        texts,
        { choices, isWhole: true, found: choices.length, from: 0, action: '', query: '', kept: {}, tag },
        nonce,
      );
    case 'connected': {
      const { connectedTitle: title, connectedLead } = texts.outcome;
      return successPage(texts, { title, lead: connectedLead(provider) }, {}, nonce);
    }
    case 'failed': {
      const failure = { reason: 'access_denied', error: 'access_denied', provider, requestId: '' } as const;
      return failurePage(texts, failure, {}, nonce);
    }
  }
}
