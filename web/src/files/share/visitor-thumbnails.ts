import type { ShareReply } from '../../../../src/dashboard/shares/share-schemas.ts'
import { type FileEntry, parentOf } from '../entries/entry.ts'
import { listPage } from '../listing/open-folder.ts'
import { thumbnailKind } from '../thumbnails/thumbnail-kind.ts'
import { thumbnails } from '../thumbnails/thumbnails.ts'

export interface ThumbnailProgress {
  readonly done: number
  readonly total: number
}

/**
 * Makes the missing thumbnails of a link: of its pictures and videos, up to 1,000 in each shared folder.
 *
 * @throws ApiError if a folder cannot be listed; the reason of the signal
 */
export async function makeThumbnailsOf(
  share: Pick<ShareReply, 'bucket' | 'path' | 'items'>,
  onProgress: (progress: ThumbnailProgress) => void,
  signal: AbortSignal,
): Promise<void> {
  const { bucket } = share
  const files = await filesOf(share, signal)
  const subjects = files.flatMap((file) => {
    const kind = thumbnailKind(file)
    return kind === undefined ? [] : [{ bucket, file, kind }]
  })
  const total = subjects.length
  let done = 0
  onProgress({ done, total })
  await Promise.all(
    subjects.map(async (subject) => {
      // One that fails does not end the others.
      await thumbnails.load(subject, signal).catch(() => undefined)
      signal.throwIfAborted()
      done += 1
      onProgress({ done, total })
    }),
  )
}

/** The files of a link, found by listing the folders that they are in. */
async function filesOf(
  { bucket, path, items }: Pick<ShareReply, 'bucket' | 'path' | 'items'>,
  signal: AbortSignal,
): Promise<readonly FileEntry[]> {
  const keys = items.length === 0 ? [path] : items.map((item) => path + item)
  const deep = keys.filter((key) => key === '' || key.endsWith('/'))
  const single = new Set(keys.filter((key) => !deep.includes(key)))
  const found: FileEntry[] = []
  const read = async (prefix: string, isDeep: boolean) => {
    const { entries } = await listPage({ bucket, prefix, isDeep, signal })
    for (const entry of entries) {
      if (entry.kind === 'file' && (isDeep || single.has(entry.key))) found.push(entry)
    }
  }
  for (const prefix of deep) await read(prefix, true)
  for (const prefix of new Set([...single].map(parentOf))) await read(prefix, false)
  return found
}
