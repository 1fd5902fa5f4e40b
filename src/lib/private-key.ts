import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';

/** The largest that a person pastes: an RSA key of 4096 bits takes 3,272 characters, its JSON file 1,000 more. */
export const KEY_TEXT_LENGTH_MAX = 16_384;
const RSA_BITS_MIN = 2048;
/** A signature with 4096 bits takes 6 ms, with 8192 bits 40 ms, in which the process does nothing else. */
const RSA_BITS_MAX = 4096;
const CURVES: ReadonlySet<string> = new Set(['prime256v1', 'secp384r1', 'secp521r1']);
/** OpenSSL writes 2,048; each thousand takes about a millisecond. */
const PBKDF2_ROUNDS_MAX = 20_000;

export type PrivateKeyText =
  | { readonly ok: true; readonly pem: string; readonly isEncrypted: boolean }
  | { readonly ok: false };

/**
 * The PEM of a private key with its line breaks as they should be (forms, JSON and environment files lose them or spell
 * them out), judged as far as its text goes: one block, of bounded size, and where it is encrypted in PKCS #8 with PBKDF2
 * (RFC 8018) of bounded cost.
 */
export function tidyPrivateKeyPem(text: string): PrivateKeyText {
  if (text.length > KEY_TEXT_LENGTH_MAX) return { ok: false };
  const block = readPemBlock(text);
  if (block === undefined || !/^(?:RSA |EC |ENCRYPTED )?PRIVATE KEY$/.test(block.label)) return { ok: false };
  const isEncrypted = block.label.startsWith('ENCRYPTED');
  if (isEncrypted && !isCheaplyEncrypted(Buffer.from(block.base64, 'base64'))) return { ok: false };
  return { ok: true, pem: writePem(block), isEncrypted };
}

/**
 * The private key of a PEM: RSA of 2048 to 4096 bits, or EC on a curve of NIST's. Undefined for any other key, one that
 * does not open with the passphrase, and text that is no key.
 */
export function readPrivateKey(text: string, passphrase?: string): KeyObject | undefined {
  const tidy = tidyPrivateKeyPem(text);
  if (!tidy.ok) return undefined;
  try {
    const key = createPrivateKey({
      key: tidy.pem,
      format: 'pem',
      ...(tidy.isEncrypted && { passphrase: passphrase ?? '' }),
    });
    return isUsable(key) ? key : undefined;
  } catch {
    // Node throws for text that is no key, and for a wrong passphrase.
    return undefined;
  }
}

function isUsable(key: KeyObject): boolean {
  const { modulusLength = 0, namedCurve = '' } = key.asymmetricKeyDetails ?? {};
  if (key.asymmetricKeyType === 'rsa') return modulusLength >= RSA_BITS_MIN && modulusLength <= RSA_BITS_MAX;
  return key.asymmetricKeyType === 'ec' && CURVES.has(namedCurve);
}

/** The first certificate of a PEM, with its line breaks as they should be; undefined where there is none. */
function readCertificate(text: string): X509Certificate | undefined {
  if (text.length > KEY_TEXT_LENGTH_MAX) return undefined;
  const block = readPemBlock(text);
  if (block?.label !== 'CERTIFICATE') return undefined;
  try {
    return new X509Certificate(writePem(block));
  } catch {
    return undefined;
  }
}

/** A leaf, three authorities above it and one to spare. */
const CHAIN_LENGTH_MAX = 5;

/**
 * The certificates of a PEM in their order, with their line breaks as they should be; undefined where there are none, too
 * many, or one that cannot be read. Text around the blocks (RFC 7468 section 2) and blocks of another kind are left out,
 * so that a file with certificate and key gives up its certificates alone.
 */
export function readCertificateChain(text: string): readonly X509Certificate[] | undefined {
  if (text.length > KEY_TEXT_LENGTH_MAX) return undefined;
  const chain: X509Certificate[] = [];
  for (const part of text.split('-----BEGIN CERTIFICATE-----').slice(1)) {
    const certificate = readCertificate(`-----BEGIN CERTIFICATE-----${part}`);
    if (certificate === undefined || chain.length === CHAIN_LENGTH_MAX) return undefined;
    chain.push(certificate);
  }
  return chain.length === 0 ? undefined : chain;
}

/** Why a certificate and a key do not authenticate anybody. */
export type KeyPairFault =
  | 'passphrase_missing'
  | 'passphrase_wrong'
  | 'key_unusable'
  | 'certificate_unusable'
  | 'key_of_another_certificate'
  | 'certificate_expired'
  | 'certificate_not_yet_valid';

/** What is wrong with a chain of certificates (the client's own first) and its private key, both in PEM; undefined: nothing. */
export function judgeKeyPair(
  {
    chain,
    privateKey,
    passphrase,
  }: { readonly chain: string; readonly privateKey: string; readonly passphrase?: string | undefined },
  nowMs: number,
): KeyPairFault | undefined {
  const certificate = readCertificateChain(chain)?.[0];
  if (certificate === undefined) return 'certificate_unusable';
  const tidy = tidyPrivateKeyPem(privateKey);
  const isEncrypted = tidy.ok && tidy.isEncrypted;
  if (isEncrypted && passphrase === undefined) return 'passphrase_missing';
  const key = readPrivateKey(privateKey, passphrase);
  if (key === undefined) return isEncrypted ? 'passphrase_wrong' : 'key_unusable';
  if (!certificate.checkPrivateKey(key)) return 'key_of_another_certificate';
  if (certificate.validToDate.getTime() <= nowMs) return 'certificate_expired';
  return certificate.validFromDate.getTime() > nowMs ? 'certificate_not_yet_valid' : undefined;
}

type PemBlock = { readonly label: string; readonly base64: string };

/** The first block of a text that begins with one (RFC 7468). */
function readPemBlock(text: string): PemBlock | undefined {
  const spelled = text.replaceAll('\\n', '\n').trim();
  const label = /^-----BEGIN ([A-Z ]{1,40})-----/.exec(spelled)?.[1];
  if (label === undefined) return undefined;
  const end = spelled.indexOf(`-----END ${label}-----`);
  if (end < 0) return undefined;
  const base64 = spelled.slice(`-----BEGIN ${label}-----`.length, end).replace(/\s/g, '');
  return /^[A-Za-z0-9+/]+={0,2}$/.test(base64) ? { label, base64 } : undefined;
}

function writePem({ label, base64 }: PemBlock): string {
  const lines = base64.match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n');
}

/** The object identifier of PBKDF2 in DER, 1.2.840.113549.1.5.12. */
const PBKDF2_DER = Buffer.from('06092a864886f70d01050c', 'hex');

/**
 * True where the key is derived by PBKDF2 with few enough rounds: the author of the file chooses how long opening it keeps
 * the process busy. Behind the identifier stand a sequence, the salt and the count (RFC 8018 appendix A.2).
 */
function isCheaplyEncrypted(der: Buffer): boolean {
  const start = der.indexOf(PBKDF2_DER);
  if (start < 0) return false;
  const saltAt = start + PBKDF2_DER.length + 2;
  const isPlain = der[saltAt - 2] === 0x30 && der[saltAt] === 0x04 && (der[saltAt + 1] ?? 0x80) < 0x80;
  const countAt = saltAt + 2 + (der[saltAt + 1] ?? 0);
  const size = der[countAt + 1] ?? 0;
  if (!isPlain || der[countAt] !== 0x02 || size < 1 || size > 4) return false;
  if (countAt + 2 + size > der.length) return false;
  const rounds = der.readUIntBE(countAt + 2, size);
  return rounds > 0 && rounds <= PBKDF2_ROUNDS_MAX;
}
