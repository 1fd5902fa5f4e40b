import { judgeKeyPair, type KeyPairFault, readCertificateChain } from '../../lib/private-key.ts';
import { fillTemplate } from '../../lib/template.ts';
import { ClientCertificate } from '../../platform/client-certificate.ts';
import type { Provider } from '../schema/provider.schema.ts';
import type { CERTIFICATE_PLACES } from '../schema/provider-certificate.schema.ts';

type Texts = Readonly<Record<string, string>>;
type Declaring = Pick<Provider, 'clientCertificate'>;

/** Where a certificate is shown: where tokens come from, or at the API. */
type CertificatePlace = (typeof CERTIFICATE_PLACES)[number];

/**
 * The certificate for requests to a place of the provider; undefined where none is declared for it, or where `values`
 * have none. They are the variables of integration and connection, secret ones included.
 */
export function clientCertificateFor(
  { clientCertificate }: Declaring,
  place: CertificatePlace,
  values: Texts,
): ClientCertificate | undefined {
  if (clientCertificate === undefined || !clientCertificate.at.includes(place)) return undefined;
  const pem = pemOf(clientCertificate, values);
  const { certificate, privateKey } = pem;
  if (certificate === undefined || privateKey === undefined) return undefined;
  return new ClientCertificate({ ...pem, certificate, privateKey });
}

function pemOf(
  { certificate, privateKey, passphrase }: NonNullable<Provider['clientCertificate']>,
  values: Texts,
) {
  return {
    certificate: fillTemplate(certificate, values),
    privateKey: fillTemplate(privateKey, values),
    passphrase: passphrase === undefined ? undefined : fillTemplate(passphrase, values),
  };
}

/** The request with the certificate of the place that it goes to; unchanged where there is none. */
export function withClientCertificate<Message extends object>(
  message: Message,
  provider: Declaring,
  place: CertificatePlace,
  values: Texts,
): Message & { readonly clientCertificate?: ClientCertificate } {
  const clientCertificate = clientCertificateFor(provider, place, values);
  return clientCertificate === undefined ? message : { ...message, clientCertificate };
}

/** When the client's own certificate among these values expires; undefined where there is none. */
export function certificateEnd({ clientCertificate }: Declaring, values: Texts): Date | undefined {
  const text = clientCertificate && fillTemplate(clientCertificate.certificate, values);
  return text === undefined ? undefined : readCertificateChain(text)?.[0]?.validToDate;
}

/** Names of the variables that a certificate is made of; none where the provider wants none at this place. */
export function certificateVariables(
  { clientCertificate }: Declaring,
  place?: CertificatePlace,
): readonly string[] {
  if (clientCertificate === undefined || (place !== undefined && !clientCertificate.at.includes(place)))
    return [];
  const { certificate, privateKey, passphrase } = clientCertificate;
  return [certificate, privateKey, passphrase].flatMap((name) => (name === undefined ? [] : [nameIn(name)]));
}

/** Who gives the certificate; undefined where none is declared. */
export function certificateOwner({
  clientCertificate,
  variables,
}: Pick<Provider, 'clientCertificate' | 'variables'>): 'user' | 'integration' | undefined {
  if (clientCertificate === undefined) return undefined;
  const name = nameIn(clientCertificate.privateKey);
  return variables.find((variable) => variable.name === name)?.from === 'user' ? 'user' : 'integration';
}

/** True where a connection may do without the certificate that is declared. */
export function isCertificateOptional({
  clientCertificate,
  variables,
}: Pick<Provider, 'clientCertificate' | 'variables'>): boolean {
  const name = clientCertificate && nameIn(clientCertificate.certificate);
  return variables.some((variable) => variable.name === name && variable.optional === true);
}

function nameIn(placeholder: string): string {
  return placeholder.slice(1, -1);
}

/** A fault of a certificate that was given, at the variable by which it can be corrected. */
export type CertificateFault = {
  readonly variable: string;
  readonly fault: KeyPairFault | 'certificate_missing' | 'key_missing';
  readonly message: string;
};

const MESSAGES: Readonly<Record<CertificateFault['fault'], string>> = {
  certificate_missing: 'the private key needs its certificate',
  key_missing: 'the certificate needs its private key',
  certificate_unusable: 'no certificate can be read',
  key_unusable: 'no private key can be read: RSA of 2048 to 4096 bits, or EC on P-256, P-384 or P-521',
  passphrase_missing: 'the private key is encrypted: its passphrase is needed',
  passphrase_wrong: 'the passphrase does not open the private key',
  key_of_another_certificate:
    'the private key belongs to another certificate than the first of the chain: put the certificate of the client first',
  certificate_expired: 'the certificate has expired',
  certificate_not_yet_valid: 'the certificate is not valid yet',
};

/** What is wrong with the certificate among these values; undefined: nothing, or there is none. */
export function judgeClientCertificate(
  { clientCertificate }: Declaring,
  values: Texts,
  nowMs: number,
): CertificateFault | undefined {
  if (clientCertificate === undefined) return undefined;
  const { certificate, privateKey, passphrase } = pemOf(clientCertificate, values);
  if (certificate === undefined && privateKey === undefined) return undefined;
  if (certificate === undefined) return faultAt(clientCertificate.certificate, 'certificate_missing');
  if (privateKey === undefined) return faultAt(clientCertificate.privateKey, 'key_missing');
  const fault = judgeKeyPair({ chain: certificate, privateKey, passphrase }, nowMs);
  return fault && faultAt(placeOf(fault, clientCertificate), fault);
}

function placeOf(
  fault: KeyPairFault,
  { certificate, privateKey, passphrase = privateKey }: NonNullable<Provider['clientCertificate']>,
): string {
  if (fault === 'passphrase_missing' || fault === 'passphrase_wrong') return passphrase;
  return fault === 'key_unusable' || fault === 'key_of_another_certificate' ? privateKey : certificate;
}

function faultAt(placeholder: string, fault: CertificateFault['fault']): CertificateFault {
  return { variable: nameIn(placeholder), fault, message: MESSAGES[fault] };
}
