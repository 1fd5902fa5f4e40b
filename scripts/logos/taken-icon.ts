/** An icon of another package than the current Simple Icons, sanitised. */
export type TakenIcon = {
  /** `<package>@<version>`, one of scripts/logos/packages.json. */
  readonly source: string;
  /** Its name in the package. */
  readonly icon: string;
  readonly color: string;
  readonly viewBox: string;
  readonly body: string;
};
