/** Markup that is safe to send: every value put into it has been escaped, or was markup itself. */
export type Html = { readonly markup: string };

/** Template tag for markup. Values are escaped, `Html` values and lists of them are taken as they are. */
export function html(
  strings: TemplateStringsArray,
  ...values: readonly (string | number | Html | readonly Html[])[]
): Html {
  const parts = strings.map(
    (text, index) => text + (index < values.length ? toMarkup(values[index] ?? '') : ''),
  );
  return { markup: parts.join('') };
}

function toMarkup(value: string | number | Html | readonly Html[]): string {
  if (typeof value === 'string' || typeof value === 'number') return escapeHtml(String(value));
  if ('markup' in value) return value.markup;
  return value.map(({ markup }) => markup).join('');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
