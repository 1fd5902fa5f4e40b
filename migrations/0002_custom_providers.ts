import type { Knex } from 'knex';

/**
 * Providers that a project describes itself. `description` is what its author sent, so that a new default of the
 * catalog reaches it like the built-in files. The generated column ties an integration to the provider that it is of:
 * neither can an integration be made of one that is gone, nor a provider be deleted that is in use.
 */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(CUSTOM_PROVIDERS);
  await trx.raw(TIED_INTEGRATIONS);
}

const CUSTOM_PROVIDERS = `
CREATE TABLE custom_providers (
  id uuid PRIMARY KEY,
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  provider text NOT NULL CHECK (provider LIKE 'custom:%'),
  description jsonb NOT NULL,
  version integer NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT now(),
  created_by uuid NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT now(),
  updated_by uuid NOT NULL,
  UNIQUE (project_id, provider)
);

CREATE TRIGGER custom_providers_changed AFTER INSERT OR UPDATE OR DELETE ON custom_providers
  FOR EACH ROW EXECUTE FUNCTION notify_gateway_change();`;

const TIED_INTEGRATIONS = `
ALTER TABLE integrations ADD COLUMN custom_provider text
  GENERATED ALWAYS AS (CASE WHEN service_provider LIKE 'custom:%' THEN service_provider END) STORED;
ALTER TABLE integrations ADD CONSTRAINT integrations_custom_provider_fkey
  FOREIGN KEY (project_id, custom_provider) REFERENCES custom_providers (project_id, provider);`;
