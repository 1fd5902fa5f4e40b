export type Question = {
  readonly title: string;
  /** What will happen, in numbers, a sentence each. */
  readonly consequences: readonly string[];
  /** A verb: "Delete integration". */
  readonly confirmLabel: string;
  /** Where there is no way back: the name that must be typed. */
  readonly typedName?: string;
};
