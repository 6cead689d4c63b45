import { createHash } from 'node:crypto'
import { type CallOptions, fileUrl, type GoogleContext } from './google-context.ts'
import { GoogleIdTaken } from './google-errors.ts'
import { fileFields, type GoogleFile, googleFileSchema } from './google-file.ts'

/** @throws GoogleNotFound. */
export function getFile(
  context: GoogleContext,
  id: string,
  { signal }: CallOptions,
): Promise<GoogleFile> {
  const url = fileUrl(context, id, { fields: fileFields })
  return context.calls.json(
    { doing: 'look up a file', method: 'GET', url, cost: 'get', fileId: id, signal },
    googleFileSchema,
  )
}

interface Creation {
  /** The new file's id. */
  readonly id: string
  /** The file's content, if it has any. */
  readonly bytes?: Uint8Array
  readonly signal: AbortSignal | undefined
}

/**
 * Creates a file. If its id is taken, an earlier attempt has succeeded and its response was lost
 * (developers.google.com/workspace/drive/api/guides/create-file, "Generate IDs").
 *
 * @throws GoogleIdTaken if the file of that id has other content.
 */
export async function creating(
  context: GoogleContext,
  { id, bytes, signal }: Creation,
  send: () => Promise<GoogleFile>,
): Promise<GoogleFile> {
  try {
    return await send()
  } catch (error) {
    if (!(error instanceof GoogleIdTaken)) throw error
    const file = await getFile(context, id, { signal })
    if (bytes !== undefined && !holds(file, bytes)) throw error
    return file
  }
}

function holds({ size, md5Checksum }: GoogleFile, bytes: Uint8Array): boolean {
  return size === bytes.length && md5Checksum === createHash('md5').update(bytes).digest('hex')
}
