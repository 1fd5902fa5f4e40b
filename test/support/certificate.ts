import { createHash, X509Certificate } from 'node:crypto';

/** A self-signed certificate for localhost and its key, valid for a hundred years; for tests alone. */
export const TEST_CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBojCCAUmgAwIBAgIUQzbtG/qGgvTYdLs+Dyvs/UOZxyYwCgYIKoZIzj0EAwIw
GDEWMBQGA1UEAwwNcHJvdmlkZXIudGVzdDAgFw0yNjExMjEwODUyMDZaGA8yMTI2
MTAyODA4NTIwNlowGDEWMBQGA1UEAwwNcHJvdmlkZXIudGVzdDBZMBMGByqGSM49
AgEGCCqGSM49AwEHA0IABEfUnPcSv8LE+B5iFWvuV4WjQ3aan6Bk8wy9tCx/vidg
zsIL4MCafzNOhGOl7CN2/Lky6UBzbm0UPPgUB1hsOSejbzBtMB0GA1UdDgQWBBT7
P5sM0Ahrl/y/AGaDZ/yslvILvzAfBgNVHSMEGDAWgBT7P5sM0Ahrl/y/AGaDZ/ys
lvILvzAPBgNVHRMBAf8EBTADAQH/MBoGA1UdEQQTMBGCCWxvY2FsaG9zdIcEfwAA
ATAKBggqhkjOPQQDAgNHADBEAiAccXrfuz5j5CkHkYW3tATgsfqP2tz9qW+/wQTA
HihzpwIgVS9G6G/cUUKX2KfXEgRtZS5d5l8Utp7RZDVwG9O5R7E=
-----END CERTIFICATE-----
`;

export const TEST_KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgWXLPndh/Wmp2eHT+
0jVYeaF5llskmRhy9ugdgz+cnJyhRANCAARH1Jz3Er/CxPgeYhVr7leFo0N2mp+g
ZPMMvbQsf74nYM7CC+DAmn8zToRjpewjdvy5MulAc25tFDz4FAdYbDkn
-----END PRIVATE KEY-----
`;

/** Makes a Chromium take the certificate for one of a known authority, so that it trusts what comes with it. */
export function trustFlag(): string {
  const key = new X509Certificate(TEST_CERTIFICATE).publicKey.export({ type: 'spki', format: 'der' });
  return `--ignore-certificate-errors-spki-list=${createHash('sha256').update(key).digest('base64')}`;
}
