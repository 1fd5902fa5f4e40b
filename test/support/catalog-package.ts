import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { packTar } from 'modern-tar';
import { computeIntegrity } from '../../src/catalog/taking/catalog-package.ts';

type Parts = {
  readonly name?: string;
  readonly version?: string;
  readonly format?: number;
  /** Texts of provider files by id. */
  readonly providers?: Readonly<Record<string, string>>;
  /** Files that are put in after the hashes were taken. */
  readonly replaced?: Readonly<Record<string, string>>;
};

export function acme(host = 'api.acme.example'): string {
  return `id: acme\nname: Acme\ncategory: crm\nauth: basic\napiBaseUrl: https://${host}\ndocsUrl: https://acme.example/docs\nprobe: { url: "https://${host}/me" }\n`;
}

/** A package of the catalog as `npm pack` makes it, and what npm's registry would say of it. */
export async function makeCatalogPackage(parts: Parts = {}): Promise<{ bytes: Buffer; integrity: string }> {
  const { name = '@integration-gateway/catalog', version = '99.0.0', format = 1 } = parts;
  const providers = parts.providers ?? { acme: acme() };
  const hashes = Object.entries(providers).map(([id, text]) => [
    `${id}.yaml`,
    createHash('sha256').update(text).digest('hex'),
  ]);
  const files: Record<string, string> = {
    'package.json': JSON.stringify({ name, version }),
    'dist/catalog.json': JSON.stringify({ format, version, providers: Object.fromEntries(hashes) }),
    ...Object.fromEntries(Object.entries(providers).map(([id, text]) => [`dist/providers/${id}.yaml`, text])),
    ...parts.replaced,
  };
  const entries = Object.entries(files).map(([path, text]) => {
    const body = Buffer.from(text);
    return { header: { name: `package/${path}`, size: body.length, type: 'file' as const }, body };
  });
  const bytes = gzipSync(await packTar(entries));
  return { bytes, integrity: computeIntegrity(bytes) };
}
