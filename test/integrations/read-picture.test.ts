import { readPicture } from '../../src/integrations/read-picture.ts';
import { makePng } from '../support/pictures.ts';

const riff = (kind: string, fields: readonly number[]) => {
  const bytes = Buffer.alloc(40);
  bytes.write('RIFF', 0, 'latin1');
  bytes.write(`WEBP${kind}`, 8, 'latin1');
  bytes.set(fields, 20);
  return bytes;
};
const APP0 = [0xff, 0xe0, 0x00, 0x04, 0x4a, 0x46];
const jpeg = (...segments: readonly number[]) => Buffer.from([0xff, 0xd8, ...segments]);
const frame = (marker: number) => [0xff, marker, 0x00, 0x11, 8, 0x00, 0x20, 0x00, 0x30, 3, 0, 0];

it.each([
  ['a PNG', makePng(40, 30, [1, 2, 3]), { mediaType: 'image/png', width: 40, height: 30 }],
  ['a JPEG', jpeg(...APP0, ...frame(0xc0)), { mediaType: 'image/jpeg', width: 48, height: 32 }],
  ['a progressive JPEG', jpeg(0xff, ...frame(0xc2)), { mediaType: 'image/jpeg', width: 48, height: 32 }],
  [
    'a lossy WebP',
    riff('VP8 ', [0, 0, 0, 0x9d, 0x01, 0x2a, 64, 0, 32, 0]),
    { mediaType: 'image/webp', width: 64, height: 32 },
  ],
  [
    'a lossless WebP',
    riff('VP8L', [0x2f, 63, 0xc0, 7, 0]),
    { mediaType: 'image/webp', width: 64, height: 32 },
  ],
  [
    'an extended WebP',
    riff('VP8X', [0, 0, 0, 0, 255, 3, 0, 255, 1, 0]),
    { mediaType: 'image/webp', width: 1024, height: 512 },
  ],
])('the size of %s is read from its bytes', (_, bytes, picture) => {
  expect(readPicture(bytes)).toEqual(picture);
});

it.each([
  ['nothing', Buffer.alloc(0)],
  ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
  ['a page', Buffer.from(`<!doctype html>${'x'.repeat(100)}`)],
  ['a GIF', Buffer.from(`GIF89a${'\0'.repeat(100)}`)],
  ['a PNG that is cut off', makePng(4, 4, [0, 0, 0]).subarray(0, 20)],
  ['a JPEG without a frame', jpeg(...APP0, 0xff, 0xd9, 0, 2, 0, 0, 0, 0, 0, 0)],
  ['a JPEG that is cut off', jpeg(...APP0, 0xff, 0xc0, 0)],
  ['a table in place of a frame', jpeg(...frame(0xc4))],
  ['another RIFF file', Buffer.from(`RIFF\0\0\0\0WAVE${'\0'.repeat(40)}`)],
  ['an unknown kind of WebP', riff('VP9 ', [])],
])('%s is no picture', (_, bytes) => {
  expect(readPicture(bytes)).toBeUndefined();
});

it('a JPEG of nothing but segments without a length ends', () => {
  expect(readPicture(jpeg(...Array.from({ length: 60_000 }, () => 0xff)))).toBeUndefined();
});
