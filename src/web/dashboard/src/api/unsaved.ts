type Words = { readonly title: string; readonly text: string; readonly confirm: string };

/** Something that may be lost with the page: what is typed in a form, or a secret that the API shows once. */
export type Keeper = {
  /** Whether it would be lost now. */
  readonly isUnsaved: () => boolean;
  /** What is asked before; the usual question where this is left out. */
  readonly words?: Words;
};

const keepers = new Set<Keeper>();
const listeners = new Set<() => void>();

/** Names something that may be lost, until the function that this gives back is called. */
export function holdUnsaved(keeper: Keeper): () => void {
  keepers.add(keeper);
  return () => {
    keepers.delete(keeper);
  };
}

/** What would be lost if the page were left now. */
export function findUnsaved(): Keeper | undefined {
  return [...keepers].find(({ isUnsaved }) => isUnsaved());
}

export function hasUnsaved(): boolean {
  return findUnsaved() !== undefined;
}

let answersAwaited = 0;

/** Keeps the page from loading itself again until the function that this gives back is called: an answer is on its way. */
export function holdReload(): () => void {
  answersAwaited += 1;
  let isHeld = true;
  return () => {
    if (isHeld) answersAwaited -= 1;
    isHeld = false;
  };
}

/** Whether nothing would be lost if the page loaded itself again. */
export function mayReload(): boolean {
  return answersAwaited === 0 && !hasUnsaved();
}

/** The operator has said that all of it may be lost. */
export function giveUpUnsaved(): void {
  keepers.clear();
}

/** Says that something unsaved has come: what asks about it is loaded then, since it may not be had later. */
export function reportUnsaved(): void {
  for (const listener of listeners) listener();
}

export function onUnsaved(listener: () => void): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}
