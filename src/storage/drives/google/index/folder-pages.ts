import { type GoogleApi, type ListFilesQuery, queryLiteral } from '../api/google-api.ts'
import { GoogleNotFound } from '../api/google-failure.ts'
import { folderType, type GoogleFile } from '../api/google-file.ts'
import { oldestFirst } from './indexed-file.ts'

type Lists = Pick<GoogleApi, 'listFiles'>

/** Term of a query for folders only. */
export const onlyFolders = `mimeType = ${queryLiteral(folderType)}`

/** The files of all pages of a list, page by page. */
export async function* filePages(
  api: Lists,
  query: Omit<ListFilesQuery, 'pageToken'>,
): AsyncGenerator<readonly GoogleFile[], void, undefined> {
  let pageToken: string | undefined
  do {
    const page = await api.listFiles({ ...query, pageToken })
    pageToken = page.nextPageToken
    yield page.files
  } while (pageToken !== undefined)
}

/** Google's listing of a folder, page by page; empty when the folder no longer exists. */
export async function* folderPages(
  api: Lists,
  folderId: string,
  { where, pageSize }: { readonly where?: string; readonly pageSize?: number } = {},
): AsyncGenerator<readonly GoogleFile[], void, undefined> {
  const terms = [
    `${queryLiteral(folderId)} in parents`,
    ...(where ? [where] : []),
    'trashed = false',
  ]
  try {
    yield* filePages(api, { q: terms.join(' and '), pageSize })
  } catch (error) {
    if (!(error instanceof GoogleNotFound)) throw error
  }
}

/**
 * The folder of this name in a folder: the oldest of several; undefined if there is none, or if the
 * parent no longer exists. Queries by name lag, so it lists all.
 */
export async function childFolder(
  api: Lists,
  parent: string,
  name: string,
): Promise<GoogleFile | undefined> {
  const found: GoogleFile[] = []
  for await (const folders of folderPages(api, parent, { where: onlyFolders })) {
    found.push(...folders.filter((folder) => folder.name === name))
  }
  return oldestFirst(found)[0]
}

/** As `childFolder`; created if there is none. Two callers at once may create two. */
export async function makeChildFolder(
  api: Lists & Pick<GoogleApi, 'createFile'>,
  parent: string,
  name: string,
): Promise<GoogleFile> {
  const found = await childFolder(api, parent, name)
  return found ?? (await api.createFile({ name, mimeType: folderType, parents: [parent] }))
}
