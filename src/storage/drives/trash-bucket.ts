/**
 * What the dashboard has deleted is in a bucket of its own, in the drive's own folder: `.bucketry/trash/photos` for
 * `photos`. No protocol serves it, because no name of a bucket begins with a dot.
 */
const trashFolder = '.bucketry/trash/'

export function trashBucketOf(bucket: string): string {
  return trashFolder + bucket
}

/** The bucket that the trash is of; undefined for any other bucket. */
export function bucketOfTrash(trash: string): string | undefined {
  return trash.startsWith(trashFolder) ? trash.slice(trashFolder.length) : undefined
}
