import type { BucketLocation } from '../browse/browser.ts'
import type { Entry, FileEntry } from '../entries/entry.ts'
import { isEverywhere } from '../files-location.ts'

interface ViewedFileAddress {
  readonly bucket: string
  readonly key: string
}

/** The file that the address of the page shows: its path from the folder, or in a search of all buckets from the top. */
export function viewedFile({
  bucket,
  prefix,
  scope,
  view,
}: BucketLocation): ViewedFileAddress | undefined {
  if (view === undefined) return undefined
  if (!isEverywhere(scope)) return { bucket, key: prefix + view }
  const end = view.indexOf('/')
  return end < 0 ? undefined : { bucket: view.slice(0, end), key: view.slice(end + 1) }
}

/** The address of a file as a view of the list, which has it. */
export function viewOf({ bucket, prefix, scope }: BucketLocation, file: FileEntry): string {
  return isEverywhere(scope)
    ? `${file.bucket ?? bucket}/${file.key}`
    : file.key.slice(prefix.length)
}

export function isFileAt({ bucket, key }: ViewedFileAddress) {
  return (entry: Entry): entry is FileEntry =>
    entry.kind === 'file' && entry.key === key && (entry.bucket ?? bucket) === bucket
}
