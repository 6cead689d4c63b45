import type { Database } from '../state/database.ts'
import { MadeBucketTable } from '../state/stores/made-buckets.ts'
import type { Settings } from './settings/read-settings.ts'

/** The buckets that exist: those of the settings, and those made at run time. @throws DatabaseError */
export async function bucketNames(
  { allowedBuckets }: Pick<Settings, 'allowedBuckets'>,
  database: Database,
): Promise<ReadonlySet<string>> {
  const made = await new MadeBucketTable(database).all()
  return new Set([...allowedBuckets, ...made.map(({ bucket }) => bucket)])
}
