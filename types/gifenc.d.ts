/** What the package has no types for, as far as it is used here. */
declare module 'gifenc' {
  type Palette = number[][];
  const gifenc: {
    GIFEncoder(): {
      writeFrame(
        indexed: Uint8Array,
        width: number,
        height: number,
        options: { palette: Palette; delay: number },
      ): void;
      finish(): void;
      bytes(): Uint8Array;
    };
    quantize(rgba: Uint8Array, maxColors: number): Palette;
    applyPalette(rgba: Uint8Array, palette: Palette): Uint8Array;
  };
  export = gifenc;
}
