import { Fragment } from 'react';

/** An address that breaks after its slashes first, and within a word only where a line is shorter than that. */
export function Breakable({ text }: { text: string }) {
  return text.split(/(?<=[^/]\/)(?=[^/])/).map((part, index) => (
    // Parts of one text, which may be the same.
    // biome-ignore lint/suspicious/noArrayIndexKey: they keep their places
    <Fragment key={index}>
      {index > 0 && <wbr />}
      {part}
    </Fragment>
  ));
}
