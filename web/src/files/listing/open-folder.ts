import { requestStream } from '../../api/client.ts'
import { type FolderPage, FolderPages, readWhole } from './folder-pages.ts'

interface ShownFolder {
  readonly bucket: string
  /** '' or ends in a slash. */
  readonly prefix: string
}

/** The pages of a folder, from the service. */
export function pagesOf({ bucket, prefix }: ShownFolder): FolderPages {
  return new FolderPages({
    prefix,
    open: ({ after, signal }) => openFolder({ bucket, prefix, after }, signal),
    pause: () => new Promise((resolve) => setTimeout(resolve)),
  })
}

interface ListQuery {
  readonly bucket: string
  /** '' or ends in a slash. */
  readonly prefix: string
  /** Only names that begin with it. */
  readonly filter?: string
  /** false: one entry per folder. true: everything in them. */
  readonly isDeep: boolean
  /** Only keys after this one. */
  readonly after?: string | undefined
  readonly limit?: number
  readonly signal?: AbortSignal | undefined
}

export interface ListingPage extends FolderPage {
  /** The key of every object on the page. */
  readonly keys: readonly string[]
}

/** Lists up to 1,000 entries. A deep listing includes the marker object of the folder. @throws ApiError */
export async function listPage(query: ListQuery): Promise<ListingPage> {
  const { bucket, prefix, filter = '', isDeep, after = '', limit = 1_000 } = query
  const { signal = new AbortController().signal } = query
  const asked = { bucket, prefix, filter, after, deep: String(isDeep), limit: String(limit) }
  const page = await readWhole(await openFolder(asked, signal), prefix, signal)
  const objects = page.entries.filter(({ kind }) => kind === 'file')
  return { ...page, keys: objects.map(({ key }) => key) }
}

async function openFolder(
  query: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const { body } = await requestStream('/-/api/folder', { query, signal })
  return body ?? new ReadableStream()
}
