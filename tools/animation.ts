import { decode } from 'fast-png';
import gifenc from 'gifenc';

const { applyPalette, GIFEncoder, quantize } = gifenc;
const COLORS = 128;

/** Makes a GIF of screenshots of one size. */
export function createAnimation({ width, height }: { width: number; height: number }) {
  const encoder = GIFEncoder();
  return {
    /** `png`: the picture; `ms`: how long it is shown. */
    add(png: Uint8Array, ms: number): void {
      const image = decode(png);
      if (image.width !== width || image.height !== height)
        throw new Error(`A picture is ${image.width} × ${image.height}, and not ${width} × ${height}`);
      const pixels = toRgba(image.data, image.channels);
      const palette = quantize(pixels, COLORS);
      encoder.writeFrame(applyPalette(pixels, palette), width, height, { palette, delay: ms });
    },
    finish(): Uint8Array {
      encoder.finish();
      return encoder.bytes();
    },
  };
}

function toRgba(data: ArrayLike<number>, channels: number): Uint8Array {
  const pixels = new Uint8Array((data.length / channels) * 4).fill(255);
  for (let from = 0, to = 0; from < data.length; from += channels, to += 4) {
    for (let channel = 0; channel < 3; channel += 1) pixels[to + channel] = data[from + channel] ?? 0;
  }
  return pixels;
}
