import { useLocation, useNavigate, useSearch } from '@tanstack/react-router';

/**
 * The thing whose drawer is open, by its id in the page's address, so that a link opens it too: `?delivery=<id>`. The
 * filters of the list below stay.
 */
export function useOpened(name: string) {
  const search: Record<string, unknown> = useSearch({ strict: false });
  const { pathname } = useLocation();
  const navigate = useNavigate();
  const value = search[name];
  const set = (id: string | undefined) =>
    void navigate({
      to: '.',
      resetScroll: false,
      replace: id === undefined,
      search: (previous: Record<string, unknown>) => {
        const { [name]: _closed, ...rest } = previous;
        return id === undefined ? rest : { ...rest, [name]: id };
      },
    });
  return {
    id: typeof value === 'string' && value !== '' ? value : undefined,
    open: (id: string) => set(id),
    close: () => set(undefined),
    /** The address with the drawer of this one open. */
    hrefOf: (id: string) => {
      const fields = Object.entries({ ...search, [name]: id }).filter(([, one]) => one !== undefined);
      return `${pathname}?${new URLSearchParams(fields.map(([key, one]) => [key, String(one)]))}`;
    },
  };
}
