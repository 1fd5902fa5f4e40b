/** Pictures that every browser draws and that can run nothing. An SVG is a document, which may load and do things. */
export type Picture = {
  readonly mediaType: 'image/png' | 'image/jpeg' | 'image/webp';
  readonly width: number;
  readonly height: number;
};

const PNG_SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
/** Frames whose header holds the size: all SOF markers but DHT (C4), JPG (C8) and DAC (CC) (ITU-T T.81 B.1.1.3). */
const JPEG_FRAMES = new Set([0xc0, 0xc1, 0xc2, 0xc3, 0xc5, 0xc6, 0xc7, 0xc9, 0xca, 0xcb, 0xcd, 0xce, 0xcf]);

/** What the bytes themselves say to be; undefined where they are no PNG, JPEG or WebP with a size. */
export function readPicture(bytes: Buffer): Picture | undefined {
  return readPng(bytes) ?? readJpeg(bytes) ?? readWebp(bytes);
}

function readPng(bytes: Buffer): Picture | undefined {
  const isPng = bytes.length >= 33 && bytes.subarray(0, 8).equals(PNG_SIGNATURE);
  if (!isPng || bytes.toString('latin1', 12, 16) !== 'IHDR') return undefined;
  return { mediaType: 'image/png', width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

/** Goes from segment to segment until one describes the frame. */
function readJpeg(bytes: Buffer): Picture | undefined {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) return undefined;
  let at = 2;
  while (at + 9 <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] ?? 0;
    if (JPEG_FRAMES.has(marker)) {
      const [height, width] = [bytes.readUInt16BE(at + 5), bytes.readUInt16BE(at + 7)];
      return { mediaType: 'image/jpeg', width, height };
    }
    // Fill bytes may stand before a marker; every other segment has its length.
    at += marker === 0xff ? 1 : 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}

/** The three kinds of the container (RFC 9649 section 2). */
function readWebp(bytes: Buffer): Picture | undefined {
  if (bytes.length < 30 || bytes.toString('latin1', 0, 4) !== 'RIFF') return undefined;
  if (bytes.toString('latin1', 8, 12) !== 'WEBP') return undefined;
  const size = readWebpSize(bytes);
  return size && { mediaType: 'image/webp', ...size };
}

function readWebpSize(bytes: Buffer): { readonly width: number; readonly height: number } | undefined {
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8X':
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    default:
      return undefined;
  }
}
