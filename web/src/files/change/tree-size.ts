import type { ListingPage } from '../listing/open-folder.ts'

export interface TreeSize {
  readonly objects: number
  readonly bytes: number
  /** Whether there are more objects than were counted. */
  readonly isMore: boolean
}

/** The maximum number of requests for counting. */
const maxPages = 20

/** Counts the objects below a prefix, up to 20,000. */
export async function treeSize(
  listTree: (continuationToken: string | undefined) => Promise<ListingPage>,
): Promise<TreeSize> {
  let objects = 0
  let bytes = 0
  let token: string | undefined
  for (let page = 1; page <= maxPages; page += 1) {
    const { keys, entries, continuationToken } = await listTree(token)
    objects += keys.length
    for (const entry of entries) if (entry.kind === 'file') bytes += entry.size
    token = continuationToken
    if (token === undefined) return { objects, bytes, isMore: false }
  }
  return { objects, bytes, isMore: true }
}
