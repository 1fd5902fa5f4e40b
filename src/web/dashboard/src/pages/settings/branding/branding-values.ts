export type BrandingValues = { displayName: string; logoUrl: string; color: string };
