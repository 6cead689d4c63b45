import type { GoogleApi } from '../api/google-api.ts'
import { quoted } from '../api/google-api.ts'
import { GoogleNotFound } from '../api/google-errors.ts'
import type { GoogleFile } from '../api/google-file.ts'

/** Google's listing of a folder, page by page; empty when the folder no longer exists. */
export async function* folderPages(
  api: Pick<GoogleApi, 'listFiles'>,
  folderId: string,
  options: { readonly where?: string; readonly pageSize?: number } = {},
): AsyncGenerator<readonly GoogleFile[], void, undefined> {
  const { where, pageSize } = options
  const terms = [`${quoted(folderId)} in parents`, ...(where ? [where] : []), 'trashed = false']
  const query = { q: terms.join(' and '), ...(pageSize && { pageSize }) }
  let pageToken: string | undefined
  do {
    try {
      const page = await api.listFiles({ ...query, pageToken })
      pageToken = page.nextPageToken
      yield page.files
    } catch (error) {
      if (error instanceof GoogleNotFound) return
      throw error
    }
  } while (pageToken !== undefined)
}
