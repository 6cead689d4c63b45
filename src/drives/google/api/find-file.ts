import type { GoogleApi } from './google-api.ts'
import type { CallOptions } from './google-context.ts'
import { GoogleNotFound } from './google-errors.ts'
import type { GoogleFile } from './google-file.ts'

/** As GoogleApi.getFile; undefined when there is no such file. */
export async function findFile(
  api: Pick<GoogleApi, 'getFile'>,
  id: string,
  options: CallOptions = {},
): Promise<GoogleFile | undefined> {
  try {
    return await api.getFile(id, options)
  } catch (error) {
    if (error instanceof GoogleNotFound) return undefined
    throw error
  }
}
