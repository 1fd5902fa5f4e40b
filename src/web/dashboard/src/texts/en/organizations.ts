/** Organizations of a project, and their quotas. */
export const texts = {
  lead: 'Organizations that user tokens or connections have named.',
  organizationId: 'Organization',
  searchExact: 'Your organization id, whole',
  quota: 'Calls a day',
  own: 'its own',
  ofProject: 'of the project',
  change: 'Set quota',
  quotaOf: (organization: string) => `Quota of ${organization}`,
  quotaHint: 'Of all its users together, within 24 hours. Empty: the quota of the project.',
  emptyTitle: 'No organizations yet',
  emptyText: 'One appears with the first user token that names it in the claim org.',
};

declare module '../area-texts.ts' {
  interface AreaTexts {
    organizations: typeof texts;
  }
}
