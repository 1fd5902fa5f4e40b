/** What TypeScript's library does not have yet (W3C Trusted Types, section 2.3). */
type PolicyFactory = {
  createPolicy(name: string, rules: { createHTML(text: string): string }): unknown;
};

function isFactory(value: unknown): value is PolicyFactory {
  return typeof value === 'object' && value !== null && 'createPolicy' in value;
}

/**
 * The one policy that the page's Content-Security-Policy allows. Mantine writes style sheets by innerHTML, so text
 * without a tag passes; markup never does, and neither does a script.
 */
export function installTrustedTypes(): void {
  const factory: unknown = Reflect.get(globalThis, 'trustedTypes');
  if (!isFactory(factory)) return;
  factory.createPolicy('default', {
    createHTML: (text) => {
      if (text.includes('<')) throw new TypeError('The dashboard writes no markup by innerHTML');
      return text;
    },
  });
}
