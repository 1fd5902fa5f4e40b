import { escapeHtml } from './escape-html.ts';

const REMOVED = '[removed]';
/** Shorter texts are no secrets, and would take words apart. */
const SECRET_LENGTH_MIN = 6;
/** So much of a secret gives it away, and no word of a sentence begins like one for so long. */
const PART_LENGTH_MIN = 16;

/**
 * The text with `[removed]` in place of each secret, in the forms in which servers repeat what they were sent: plain,
 * percent-encoded (RFC 3986), as a form has it, escaped for JSON or HTML, in base64 and in hexadecimal. A secret that
 * is cut off goes where 16 of its characters stand. Takes time in proportion to the text, for each secret.
 */
export function removeSecrets(text: string, secrets: readonly (string | null | undefined)[]): string {
  const forms = secrets.flatMap((secret) => (secret ? listForms(secret) : []));
  // A secret may hold another one, whose removal would leave the rest of it.
  const longestFirst = [...new Set(forms)].toSorted((left, right) => right.length - left.length);
  // Forms of one secret may begin alike, so that what is cut off is looked for when no whole one is left.
  return longestFirst.reduce(removePart, longestFirst.reduce(removeWhole, text));
}

function removeWhole(text: string, form: string): string {
  return text.replaceAll(form, REMOVED);
}

function listForms(secret: string): string[] {
  if (secret.length < SECRET_LENGTH_MIN) return [];
  const wellFormed = secret.toWellFormed();
  const encoded = [
    encodeURIComponent(wellFormed),
    new URLSearchParams([['', wellFormed]]).toString().slice(1),
  ];
  const lowerCase = encoded.map((form) => form.replace(/%[0-9A-F]{2}/g, (octet) => octet.toLowerCase()));
  const quoted = JSON.stringify(secret).slice(1, -1);
  const hex = Buffer.from(secret).toString('hex');
  const all = [
    secret,
    secret.trim(),
    ...encoded,
    ...lowerCase,
    quoted,
    quoted.replaceAll('/', '\\/'),
    escapeHtml(secret),
    hex,
    hex.toUpperCase(),
    ...listBase64Forms(secret),
  ];
  return all.filter((form) => form.length >= SECRET_LENGTH_MIN);
}

/** Three bytes make four characters, so that what stands before a secret shifts its base64 in three ways. */
function listBase64Forms(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const alone = [bytes.toString('base64'), bytes.toString('base64url')];
  const amongOthers = [0, 1, 2].flatMap((shift) => {
    const shifted = Buffer.concat([Buffer.alloc(shift), bytes]);
    // The first and the last characters hold bits of the neighbours.
    const form = shifted.toString('base64url').slice(shift === 0 ? 0 : 4, -2);
    return [form, form.replaceAll('-', '+').replaceAll('_', '/')];
  });
  return [...alone, ...amongOthers];
}

function removePart(text: string, form: string): string {
  if (form.length <= PART_LENGTH_MIN) return text;
  const start = form.slice(0, PART_LENGTH_MIN);
  let kept = '';
  let from = 0;
  for (;;) {
    const at = text.indexOf(start, from);
    if (at === -1) return kept + text.slice(from);
    let end = at + start.length;
    while (end - at < form.length && text[end] === form[end - at]) end += 1;
    kept += text.slice(from, at) + REMOVED;
    from = end;
  }
}
