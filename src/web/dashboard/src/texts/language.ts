/** The languages of the dashboard. */
export type Language = 'en' | 'de' | 'es';
