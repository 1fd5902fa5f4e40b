/** Rounds of percent-decoding: what a client encodes by mistake, it encodes twice at most. */
const PERCENT_ROUNDS = 2;

/**
 * True when a text holds the user JWT in a form that its receiver could undo: as it is, percent-encoded (twice as well),
 * or in Base64 of either alphabet, with anything around it (`base64('me:' + token)`).
 */
export function holdsToken(text: string, token: string): boolean {
  if (text.length < token.length) return false;
  let decoded = text;
  for (let round = 0; ; round += 1) {
    if (decoded.includes(token)) return true;
    if (round === PERCENT_ROUNDS || !decoded.includes('%')) break;
    decoded = percentDecoded(decoded);
  }
  return base64Forms(token).some((form) => decoded.includes(form));
}

/** Bytes that are no text stay harmless: the token is ASCII. */
function percentDecoded(text: string): string {
  return text.replace(/%([0-9a-f]{2})/gi, (_escape, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

/**
 * What of the token's Base64 stands in the Base64 of any text with the token in it: three forms, by where the token begins
 * within a group of three bytes, each less the characters at its ends that depend on its neighbours.
 */
function base64Forms(token: string): string[] {
  const forms = [0, 1, 2].map((offset) => {
    const encoded = Buffer.from('\0'.repeat(offset) + token, 'latin1').toString('base64');
    const first = offset === 0 ? 0 : offset + 1;
    const isWhole = (offset + token.length) % 3 === 0;
    const last = isWhole ? encoded.length : encoded.replace(/={1,2}$/, '').length - 1;
    return encoded.slice(first, last);
  });
  return [...forms, ...forms.map((form) => form.replaceAll('+', '-').replaceAll('/', '_'))];
}
