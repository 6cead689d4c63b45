import { requestStream } from '../../api/client.ts'
import { FolderPages } from './folder-pages.ts'

interface ShownFolder {
  readonly bucket: string
  /** '' or ends in a slash. */
  readonly prefix: string
  /** Only names that begin with it. */
  readonly filter: string
}

/** The pages of a folder, from the service. */
export function pagesOf({ bucket, prefix, filter }: ShownFolder): FolderPages {
  return new FolderPages({
    prefix,
    open: async ({ after, signal }) => {
      const query = { bucket, prefix, filter, after }
      const { body } = await requestStream('/-/api/folder', { query, signal })
      return body ?? new ReadableStream()
    },
    pause: () => new Promise((resolve) => setTimeout(resolve)),
  })
}
