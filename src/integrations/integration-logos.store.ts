import type { Db } from '../platform/postgres/database.ts';

export type StoredLogo = Readonly<{
  hash: string;
  mediaType: string;
  content: Buffer;
}>;

type Owner = { readonly id: string; readonly projectId: string };

/** SQL over the logos that operators give integrations. The integration's row names the one in use. */
export function createIntegrationLogosStore() {
  return {
    /** In place of one that may be there; null: none any more. */
    async save(trx: Db, { id, projectId }: Owner, logo: StoredLogo | null): Promise<void> {
      if (logo === null) {
        await trx('integration_logos').where({ integration_id: id, project_id: projectId }).delete();
        return;
      }
      const { hash, mediaType, content } = logo;
      await trx('integration_logos')
        .insert({ integration_id: id, project_id: projectId, hash, media_type: mediaType, content })
        .onConflict('integration_id')
        .merge(['hash', 'media_type', 'content']);
    },

    /** For its public address, which names no project; not of an integration that has been deleted. */
    async findOfAnyProject(db: Db, id: string, hash: string): Promise<StoredLogo | undefined> {
      const row: { hash: string; media_type: string; content: Buffer } | undefined = await db(
        'integration_logos AS l',
      )
        .join('integrations AS i', 'i.id', 'l.integration_id')
        .where({ 'l.integration_id': id, 'l.hash': hash })
        .whereNull('i.deleted_at')
        .first('l.hash', 'l.media_type', 'l.content');
      return row && { hash: row.hash, mediaType: row.media_type, content: row.content };
    },
  };
}
