import type { Provider } from '../../catalog/provider.schema.ts';
import { html, type SafeHtml } from '../../http/html.ts';

/** A provider's mark beside its name, which it repeats: assistive technology is not told of it. */
export function logoOf({ name }: Pick<Provider, 'name'>): SafeHtml {
  return html`<span class="monogram" aria-hidden="true">${[...name][0] ?? ''}</span>`;
}
