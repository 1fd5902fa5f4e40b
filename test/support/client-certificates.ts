import https from 'node:https';
import net, { type AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { TEST_CERTIFICATE, TEST_KEY } from './certificate.ts';

type Pair = { readonly certificate: string; readonly privateKey: string };

/** The authority whose certificates the servers of these tests take; valid for a hundred years, as all but one here. */
export const CLIENT_AUTHORITY = `-----BEGIN CERTIFICATE-----
MIIBnTCCAUOgAwIBAgIUZXtloToQPhecsSqbQCN9vhV+nK4wCgYIKoZIzj0EAwIw
GzEZMBcGA1UEAwwQcHJvdmlkZXItY2xpZW50czAgFw0yNjExMjIxODU0MzZaGA8y
MTI2MTAyOTE4NTQzNlowGzEZMBcGA1UEAwwQcHJvdmlkZXItY2xpZW50czBZMBMG
ByqGSM49AgEGCCqGSM49AwEHA0IABGV069LBF2+maYuH59mhWQ0nxfC8xbMso9BR
7CfHLUWr9ESjiYzaUk3nRYat7Bva9CiWloJCgXMOHZmi4APNkKmjYzBhMB0GA1Ud
DgQWBBTGWb2vzFf1wh8UP0ui1oeFstX6rjAfBgNVHSMEGDAWgBTGWb2vzFf1wh8U
P0ui1oeFstX6rjAPBgNVHRMBAf8EBTADAQH/MA4GA1UdDwEB/wQEAwIBBjAKBggq
hkjOPQQDAgNIADBFAiEA2LJjjbMDJhis5IK9hPHUuHDyKgtDRncTKdDzzp+Ysl0C
IC8uHtc+P60XCRiTzju/UoaBauqZ05XX8G4VwLzng5BF
-----END CERTIFICATE-----
`;

/** Of a first tenant. */
export const TENANT_A: Pair = {
  certificate: `-----BEGIN CERTIFICATE-----
MIIBhDCCASqgAwIBAgIEUUXIjzAKBggqhkjOPQQDAjAbMRkwFwYDVQQDDBBwcm92
aWRlci1jbGllbnRzMCAXDTI2MTEyMjE4NTQzN1oYDzIxMjYxMDI5MTg1NDM3WjAT
MREwDwYDVQQDDAh0ZW5hbnQtYTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABMpP
WqEuakd7FZA4DrOb+91obLujJoGvtwuPzblo/WTH0lDuDjJOCmIfulg9wpTA2dic
9nuQk9lln38Z6D4ZJK2jYjBgMBMGA1UdJQQMMAoGCCsGAQUFBwMCMAkGA1UdEwQC
MAAwHQYDVR0OBBYEFIlA/WncRCVUjtJOQnzZF10mi+jfMB8GA1UdIwQYMBaAFMZZ
va/MV/XCHxQ/S6LWh4Wy1fquMAoGCCqGSM49BAMCA0gAMEUCICoXGC6wHh3arxYM
01Z4RfuaHpPZEXqGcoiFFptkgJpPAiEAyYvKBW0HSxht2B4djzy5taXmknV0CYaa
VZ/iTFpZnnA=
-----END CERTIFICATE-----
`,
  privateKey: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgHs1gLqGunggLHUcE
AtVneCVx0y9dcWh3H9lhcVEDtBChRANCAATKT1qhLmpHexWQOA6zm/vdaGy7oyaB
r7cLj825aP1kx9JQ7g4yTgpiH7pYPcKUwNnYnPZ7kJPZZZ9/Geg+GSSt
-----END PRIVATE KEY-----
`,
};

/** The key of `TENANT_A`, encrypted with `KEY_PASSPHRASE`. */
export const TENANT_A_ENCRYPTED_KEY = `-----BEGIN ENCRYPTED PRIVATE KEY-----
MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAhBg5HyV9CAfQICCAAw
DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEMRF3/b/r2guzy2/BWcxoW0EgZBm
n3Xh6jZSvBuNMyupf42/3ylD1ARiqxFfDpAQ6Jt+6Udvdt4TBLlLdR77CGqbiyVX
Gwxz1SwcYX8xMilQXYELFT5NO5M5ViYOtK+bB49mvqrpuRkBHtOOOLI623JuF8Ms
NpJFl6ecR6NHg9z6KOG9F670w/+tCYuJz3iVXQeszXPFbMCT8kTpblGhdAO0oMw=
-----END ENCRYPTED PRIVATE KEY-----
`;

export const KEY_PASSPHRASE = 'open-sesame';

/** Of another tenant. */
export const TENANT_B: Pair = {
  certificate: `-----BEGIN CERTIFICATE-----
MIIBhDCCASqgAwIBAgIEJgF36zAKBggqhkjOPQQDAjAbMRkwFwYDVQQDDBBwcm92
aWRlci1jbGllbnRzMCAXDTI2MTEyMjE4NTQzN1oYDzIxMjYxMDI5MTg1NDM3WjAT
MREwDwYDVQQDDAh0ZW5hbnQtYjBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABENe
x3ddnD1P4aJdwTHjsUOwy1AWq27UAYKQL5Zbi39qVpF80acRJW6xOgBS0eEV7T3/
C4rxKOwB5NTGiugMPHKjYjBgMBMGA1UdJQQMMAoGCCsGAQUFBwMCMAkGA1UdEwQC
MAAwHQYDVR0OBBYEFODyV67JuZ/SHrRD+jQozVnYX3DcMB8GA1UdIwQYMBaAFMZZ
va/MV/XCHxQ/S6LWh4Wy1fquMAoGCCqGSM49BAMCA0gAMEUCIQDFNsDSCcnZ3lf0
mTg75zDymfLgAgJW17BiO0FW57+VAgIgNUWf0vR+sAocCZxDLi4oCaT1CA0GfsoK
zGQ91n7WmVM=
-----END CERTIFICATE-----
`,
  privateKey: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgefl3PDnhKbGj7rMP
GtG9eVja54dUM2upbj9pZhbzAaKhRANCAARDXsd3XZw9T+GiXcEx47FDsMtQFqtu
1AGCkC+WW4t/alaRfNGnESVusToAUtHhFe09/wuK8SjsAeTUxoroDDxy
-----END PRIVATE KEY-----
`,
};

/** Issued by an authority below the known one, which a server learns of by the chain alone. */
export const TENANT_C: Pair = {
  certificate: `-----BEGIN CERTIFICATE-----
MIIBjjCCATOgAwIBAgIFAJ68LZEwCgYIKoZIzj0EAwIwIzEhMB8GA1UEAwwYcHJv
dmlkZXItY2xpZW50cy1pc3N1aW5nMCAXDTI2MTEyMjE4NTQzN1oYDzIxMjYxMDI5
MTg1NDM3WjATMREwDwYDVQQDDAh0ZW5hbnQtYzBZMBMGByqGSM49AgEGCCqGSM49
AwEHA0IABHXf2su9THFop9BWyssEF7gCNCE2ZLNZEGpUA8Doec0EzEPsmwbmGWfZ
hYnOFnWKgXDNWYzEPOtncGoQJEvdVdOjYjBgMBMGA1UdJQQMMAoGCCsGAQUFBwMC
MAkGA1UdEwQCMAAwHQYDVR0OBBYEFNjcneFUkmykJHw29RZZhpHU5LKfMB8GA1Ud
IwQYMBaAFHEjdIJx3N8oEHFK6sgtyh4jMkZdMAoGCCqGSM49BAMCA0kAMEYCIQCA
/09zS+pGibrqqRUcWvfudwgsH/UsTW+wANFQMoBWMQIhAN5pnC+OiMoN8cyccxk5
wc4CCU3mGe+FZT8mvexguool
-----END CERTIFICATE-----
-----BEGIN CERTIFICATE-----
MIIBkjCCATigAwIBAgIBTTAKBggqhkjOPQQDAjAbMRkwFwYDVQQDDBBwcm92aWRl
ci1jbGllbnRzMCAXDTI2MTEyMjE4NTQzNloYDzIxMjYxMDI5MTg1NDM2WjAjMSEw
HwYDVQQDDBhwcm92aWRlci1jbGllbnRzLWlzc3VpbmcwWTATBgcqhkjOPQIBBggq
hkjOPQMBBwNCAASiTliHzd2zy6wN3KM7IAH0Q3ZQLo+b4wUjDZ3+mVADzW+TuQ2C
/hC+gLhafF6cVtEAF6nwDxjvHkN5MDA8rkjzo2MwYTAPBgNVHRMBAf8EBTADAQH/
MA4GA1UdDwEB/wQEAwIBBjAdBgNVHQ4EFgQUcSN0gnHc3ygQcUrqyC3KHiMyRl0w
HwYDVR0jBBgwFoAUxlm9r8xX9cIfFD9LotaHhbLV+q4wCgYIKoZIzj0EAwIDSAAw
RQIgEiKnxT712CfQDDlAoZd5x9yptomDe4ds0yXShcV0fM4CIQDMic0pGldotpOJ
A8ZqAolZTHbJ4zLOqV2xdg2M8UdGDQ==
-----END CERTIFICATE-----
`,
  privateKey: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg4g5Ehkp70HMgv3Bv
dB0SZh1sq9G0nSqDeDL2r4qbGyihRANCAAR139rLvUxxaKfQVsrLBBe4AjQhNmSz
WRBqVAPA6HnNBMxD7JsG5hln2YWJzhZ1ioFwzVmMxDzrZ3BqECRL3VXT
-----END PRIVATE KEY-----
`,
};

/** Expired in 2021. */
export const EXPIRED: Pair = {
  certificate: `-----BEGIN CERTIFICATE-----
MIIBfzCCASWgAwIBAgICEAAwCgYIKoZIzj0EAwIwGzEZMBcGA1UEAwwQcHJvdmlk
ZXItY2xpZW50czAeFw0yMDAxMDEwMDAwMDBaFw0yMTAxMDEwMDAwMDBaMBIxEDAO
BgNVBAMMB2V4cGlyZWQwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAASfF5yvPk0d
0timMt+4urzyaa5O2J+xyb2Ta1v8Tv4mWcx7S3E7IL+eKznUK4mnH4SnozgZUaHn
Q9AwL4LqAGKco2IwYDATBgNVHSUEDDAKBggrBgEFBQcDAjAJBgNVHRMEAjAAMB0G
A1UdDgQWBBSWrcp/BkubFl22hJL1AC53b546lTAfBgNVHSMEGDAWgBTGWb2vzFf1
wh8UP0ui1oeFstX6rjAKBggqhkjOPQQDAgNIADBFAiAZRkFdobekeuSQNohVzQ/h
k9B06/pPwFxtdFiAuWxc6AIhAPG5NZHmPAGMpfUnKr1VWXZXs5YIatEKWq8c36Xw
eZZB
-----END CERTIFICATE-----
`,
  privateKey: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgV+ujaLwoc6zjgGon
4t63KeNI5UevV86Df4DaMQ4T4tqhRANCAASfF5yvPk0d0timMt+4urzyaa5O2J+x
yb2Ta1v8Tv4mWcx7S3E7IL+eKznUK4mnH4SnozgZUaHnQ9AwL4LqAGKc
-----END PRIVATE KEY-----
`,
};

/** Of an authority that no server of these tests knows. */
export const STRANGER: Pair = {
  certificate: `-----BEGIN CERTIFICATE-----
MIIBfTCCASSgAwIBAgIFAJs2CjMwCgYIKoZIzj0EAwIwFDESMBAGA1UEAwwJc3Ry
YW5nZXJzMCAXDTI2MTEyMjE4NTQzN1oYDzIxMjYxMDI5MTg1NDM3WjATMREwDwYD
VQQDDAhzdHJhbmdlcjBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABKDUEo1PGMGz
8sUCxC/Rz/JpIXRRMM+f8R0gzrcmekLt3ECiRygE0skzOOdWXUdyD83Pu6ziy2lA
pSaNlkiQMtqjYjBgMBMGA1UdJQQMMAoGCCsGAQUFBwMCMAkGA1UdEwQCMAAwHQYD
VR0OBBYEFCScdRLs+Rv70ImlO848x9iT7OsKMB8GA1UdIwQYMBaAFFfVKGCzCvgJ
PI265kjYSVXnysuXMAoGCCqGSM49BAMCA0cAMEQCIBQV/TQOcNz6AhBX7rXckQ0L
wxIlqOREVJ0o+mv+XiRrAiAvAYPFGUm3Qm6GlMQNV6I4q7qwfIbLaQ1JP4nC/Suf
yQ==
-----END CERTIFICATE-----
`,
  privateKey: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgO4nWOdptMOqlePUy
J5HzE8VmAj+tJjGLDuEiFLNEtS2hRANCAASg1BKNTxjBs/LFAsQv0c/yaSF0UTDP
n/EdIM63JnpC7dxAokcoBNLJMzjnVl1Hcg/Nz7us4stpQKUmjZZIkDLa
-----END PRIVATE KEY-----
`,
};

export type SeenCall = {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  /** The common name of the certificate that the client has shown. */
  readonly client: string;
  /** Which connection it came on, in order of their beginning. */
  readonly connection: number;
};

export type CertifiedServer = {
  readonly port: number;
  readonly origin: string;
  readonly calls: SeenCall[];
  /** Of handshakes that the server ended. */
  readonly refused: string[];
  close(): Promise<void>;
};

/**
 * A server for localhost that takes clients of `CLIENT_AUTHORITY` alone, in the handshake. `answer` gives status and JSON
 * by the call.
 */
export async function startCertifiedServer(
  answer: (call: SeenCall) => { readonly status?: number; readonly body: unknown } = () => ({ body: {} }),
  options: https.ServerOptions = {},
): Promise<CertifiedServer> {
  const calls: SeenCall[] = [];
  const refused: string[] = [];
  const connections = new Map<unknown, number>();
  const server = https.createServer(
    {
      cert: TEST_CERTIFICATE,
      key: TEST_KEY,
      ca: CLIENT_AUTHORITY,
      requestCert: true,
      rejectUnauthorized: true,
      ...options,
    },
    (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { method = '', url = '', headers } = request;
        const subject = (request.socket as TLSSocket).getPeerCertificate().subject;
        const call: SeenCall = {
          method,
          url,
          headers,
          body: Buffer.concat(chunks).toString('utf8'),
          client: [subject.CN].flat().join(),
          connection: connections.get(request.socket) ?? 0,
        };
        calls.push(call);
        const { status = 200, body } = answer(call);
        response.writeHead(status, { 'Content-Type': 'application/json' });
        response.end(JSON.stringify(body));
      });
    },
  );
  server.on('secureConnection', (socket) => connections.set(socket, connections.size + 1));
  server.on('tlsClientError', (error: NodeJS.ErrnoException) => refused.push(error.code ?? error.message));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    origin: `https://localhost:${port}`,
    calls,
    refused,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** Alerts about the client's certificate, by their numbers (RFC 8446 section 6). */
export const ALERTS: readonly (readonly [name: string, code: number])[] = [
  ['bad_certificate', 42],
  ['unsupported_certificate', 43],
  ['certificate_revoked', 44],
  ['certificate_expired', 45],
  ['certificate_unknown', 46],
  ['unknown_ca', 48],
  ['access_denied', 49],
  ['certificate_required', 116],
];

/** A server that ends every handshake with an alert, which Node's own never sends for a certificate. */
export async function startAlertingServer(
  alert: number,
): Promise<Pick<CertifiedServer, 'port' | 'origin' | 'close'>> {
  const server = net.createServer((socket) => {
    socket.on('error', () => undefined);
    // A fatal alert in a record of its own, which is not encrypted before the handshake has keys.
    socket.once('data', () => socket.end(Buffer.from([21, 3, 3, 0, 2, 2, alert])));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    origin: `https://localhost:${port}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
