import type { GoogleTree } from './apply-changes.ts'
import { FolderListings } from './folder-listings.ts'
import { IndexCrawl } from './index-crawl.ts'
import { IndexSync } from './index-sync.ts'
import { ObjectIndex } from './object-index.ts'

/** The index of an open drive, and what keeps it up to date. */
export interface OpenIndex extends GoogleTree {
  readonly objects: ObjectIndex
  readonly listings: FolderListings
  readonly sync: IndexSync
  /** Wall clock, milliseconds since the epoch. */
  readonly now: () => number
}

type SyncOptions = Omit<ConstructorParameters<typeof IndexSync>[0], keyof GoogleTree | 'crawl'>

/** Opens the index of a tree. It is filled and kept up to date from `sync.start` on. */
export function openIndex(tree: GoogleTree, options: SyncOptions): OpenIndex {
  const crawl = new IndexCrawl(tree)
  const listings = new FolderListings({ ...tree, crawl })
  const objects = new ObjectIndex(tree, listings)
  const sync = new IndexSync({ ...tree, ...options, crawl })
  return { ...tree, objects, listings, sync, now: options.now }
}
