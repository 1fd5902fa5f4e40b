/** The English texts of each area of pages. Every file in `en/` adds its own; a translation has the same. */
export interface AreaTexts {
  frame: typeof import('./en/frame.ts').texts;
}

export type TextArea = keyof AreaTexts;

/**
 * Every word of the dashboard in one language, by area; those of the frame stand beside the areas. Reading an area that
 * is not loaded waits for it, as `lazy` does.
 */
export type Texts = AreaTexts['frame'] & Omit<AreaTexts, 'frame'>;
