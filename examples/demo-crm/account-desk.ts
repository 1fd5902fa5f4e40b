import { act, type ContactAction } from './contact-actions.ts';
import { type ContactBook, createContactBook } from './contact-book.ts';
import type { ContactChange } from './contact-change.ts';

export type AccountDesk = ReturnType<typeof createAccountDesk>;

const CHANGES_KEPT = 5;
const TIMER_INTERVAL_MS = 3000;

type Account = {
  readonly book: ContactBook;
  readonly latest: ContactChange[];
  timer: NodeJS.Timeout | undefined;
};

/** The accounts of the CRM with their contacts, made at the first request for them, and what was done to them lately. */
export function createAccountDesk(deps: {
  readonly contacts: number;
  readonly now: () => Date;
  readonly onChange: (hubId: number, change: ContactChange) => void;
}) {
  const accounts = new Map<number, Account>();

  function accountOf(hubId: number): Account {
    const known = accounts.get(hubId);
    if (known) return known;
    const latest: ContactChange[] = [];
    const onChange = (change: ContactChange) => {
      latest.unshift(change);
      latest.splice(CHANGES_KEPT);
      deps.onChange(hubId, change);
    };
    const book = createContactBook({ hubId, count: deps.contacts, now: deps.now, onChange });
    const account = { book, latest, timer: undefined };
    accounts.set(hubId, account);
    return account;
  }

  function stopTimer(account: Account): void {
    clearInterval(account.timer);
    account.timer = undefined;
  }

  return {
    bookOf: (hubId: number): ContactBook => accountOf(hubId).book,
    /** The latest changes, newest first. */
    latestOf: (hubId: number): readonly ContactChange[] => accountOf(hubId).latest,
    act: (hubId: number, action: ContactAction) => act(accountOf(hubId).book, action),

    hasTimer: (hubId: number): boolean => accountOf(hubId).timer !== undefined,
    /** Starts or stops changing a contact every three seconds. */
    toggleTimer: (hubId: number): void => {
      const account = accountOf(hubId);
      if (account.timer !== undefined) stopTimer(account);
      else account.timer = setInterval(() => act(account.book, 'change'), TIMER_INTERVAL_MS);
    },
    stop: (): void => {
      for (const account of accounts.values()) stopTimer(account);
    },
  };
}
