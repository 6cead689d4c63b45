/**
 * The dashboard moves what it deletes to a separate bucket in the drive's own folder: `.bucketry/trash/photos` for
 * `photos`. No protocol serves it, because the name of a bucket can't begin with a dot.
 */
const trashFolder = '.bucketry/trash/'

export function trashBucketOf(bucket: string): string {
  return trashFolder + bucket
}

/** The bucket that the trash is of; undefined for any other bucket. */
export function bucketOfTrash(trash: string): string | undefined {
  return trash.startsWith(trashFolder) ? trash.slice(trashFolder.length) : undefined
}
