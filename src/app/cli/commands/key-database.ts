import { openDatabase } from '../../../platform/state/open-database.ts'
import { createSealer } from '../../../platform/state/sealer.ts'
import { AccessKeyTable } from '../../../storage/access/access-key-table.ts'
import { KeyAdmin } from '../../../storage/access/key-admin.ts'
import type { Environment } from '../../settings/environment.ts'
import { isBucketName } from '../../settings/parse-names.ts'
import { readSettings } from '../../settings/read-settings.ts'
import { settingsOfGateway, withBuckets } from '../../start/first-start.ts'
import { bucketNames } from '../../start/registries.ts'
import { requireExistingDatabase } from './existing-database.ts'

/** Where the settings of the command come from. */
export interface KeysOptions {
  readonly environment: Environment
  /** ALLOWED_BUCKETS of the command line. */
  readonly buckets: string | undefined
}

/**
 * Opens the access keys of the gateway of the settings, which may run meanwhile, for `work`.
 *
 * @throws SettingsError or DatabaseError, for people; and what `work` throws.
 */
export async function withKeyAdmin<Result>(
  { environment, buckets }: KeysOptions,
  work: (admin: KeyAdmin, bucketNames: () => Promise<ReadonlySet<string>>) => Promise<Result>,
): Promise<Result> {
  const settings = await readSettings(withBuckets(await settingsOfGateway(environment), buckets))
  requireExistingDatabase(settings)
  const database = await openDatabase(settings.database, {
    migrate: false,
    connections: settings.databasePool,
  })
  try {
    const admin = new KeyAdmin({
      table: new AccessKeyTable(database),
      sealer: createSealer(settings.secretKey, 'accessKeys'),
      ...{ ownerKeyId: settings.accessKey, isBucketName, now: Date.now },
      // A running gateway looks for changes by itself.
      onChange: async () => undefined,
    })
    return await work(admin, () => bucketNames(settings, database))
  } finally {
    await database.close()
  }
}
