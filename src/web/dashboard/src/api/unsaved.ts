type Listener = () => void;

const held = new Set<() => boolean>();
const listeners = new Set<Listener>();

/**
 * Names something that may be lost with the page, a form or a secret that the API shows once, until the function that this
 * gives back is called. `isUnsaved` says whether it would be lost now.
 */
export function holdUnsaved(isUnsaved: () => boolean): () => void {
  held.add(isUnsaved);
  return () => {
    held.delete(isUnsaved);
  };
}

/** Whether something would be lost if the page were left now. */
export function hasUnsaved(): boolean {
  return [...held].some((isUnsaved) => isUnsaved());
}

/** Says that something unsaved has come: what asks about it is loaded then, since it may not be had later. */
export function reportUnsaved(): void {
  for (const listener of listeners) listener();
}

export function onUnsaved(listener: Listener): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}
