import { useNavigate, useSearch } from '@tanstack/react-router';

/** A filter of a list. Its name is that of the API's query parameter, and of the parameter in the page's address. */
export type FilterDefinition = {
  readonly name: string;
  readonly label: string;
  /** `search` is the field that is always there; at most one. `time` is kept in UTC. */
  readonly kind: 'search' | 'text' | 'choice' | 'time';
  /** For `text`: there is a button to type it. Without, it comes by a link only. */
  readonly canType?: boolean;
  /** For `time`: spans back from now that a click sets, in seconds. */
  readonly presets?: readonly { readonly seconds: number; readonly label: string }[];
  /** For `choice`. */
  readonly options?: readonly { readonly value: string; readonly label: string }[];
};

export type Filters = Readonly<Record<string, string>>;

/**
 * The filters in the page's address, and how to change one; an empty value removes it. A link to the page thus shows the
 * same rows. Only what `definitions` names is read.
 */
export function useFilters(definitions: readonly FilterDefinition[]) {
  const search: Record<string, unknown> = useSearch({ strict: false });
  const navigate = useNavigate();
  const filters: Filters = Object.fromEntries(
    definitions.flatMap(({ name }) => {
      const value = search[name];
      return value === undefined || value === '' ? [] : [[name, String(value)]];
    }),
  );
  const change = (values: Readonly<Record<string, string | undefined>>, isReplaced = false) =>
    navigate({
      to: '.',
      // Else the browser's back button undoes it.
      replace: isReplaced,
      resetScroll: false,
      search: (previous: Record<string, unknown>) => dropEmpty({ ...previous, ...values }),
    });
  return {
    filters,
    setFilter: (name: string, value: string) => {
      const isSearch = definitions.some((one) => one.kind === 'search' && one.name === name);
      // Words that are typed on are one change.
      change({ [name]: value }, isSearch && filters[name] !== undefined && value !== '');
    },
    clear: () => change(Object.fromEntries(definitions.map(({ name }) => [name, undefined]))),
  };
}

function dropEmpty(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined && value !== ''),
  );
}
