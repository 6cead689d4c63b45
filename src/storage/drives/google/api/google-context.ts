import { createHash } from 'node:crypto'
import type { GoogleCalls } from './google-calls.ts'
import { GoogleIdTaken } from './google-failure.ts'
import { fileFields, type GoogleFile, googleFileSchema } from './google-file.ts'

/** The URLs of Google's services, without a trailing slash. Tests use their own. */
export interface GoogleEndpoints {
  /** Metadata and downloads; `/files/{id}` is appended. */
  readonly api: string
  /** Uploads; `/files` is appended. */
  readonly upload: string
  /** The whole URL of the token endpoint. */
  readonly token: string
}

export const googleEndpoints: GoogleEndpoints = {
  api: 'https://www.googleapis.com/drive/v3',
  upload: 'https://www.googleapis.com/upload/drive/v3',
  token: 'https://oauth2.googleapis.com/token',
}

/** What all calls of one account use. */
export interface GoogleContext {
  readonly calls: GoogleCalls
  readonly endpoints: GoogleEndpoints
  readonly ids: FileIds
  /** The shared drive for lists and changes; undefined for My Drive. */
  readonly sharedDriveId: string | undefined
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined
}

/** Without this parameter, Drive hides shared drives. */
export const supported = { supportsAllDrives: 'true' }

export const jsonType = { 'content-type': 'application/json; charset=UTF-8' }

/** Omits parameters that are undefined. */
export function urlOf(
  base: string,
  parameters: Readonly<Record<string, string | undefined>>,
): string {
  const given = Object.entries(parameters).filter((pair): pair is [string, string] => {
    return pair[1] !== undefined
  })
  return `${base}?${new URLSearchParams(given)}`
}

/** @param rest such as `/copy`. */
export function fileUrl(
  { endpoints }: Pick<GoogleContext, 'endpoints'>,
  id: string,
  parameters: Readonly<Record<string, string | undefined>>,
  rest = '',
): string {
  const url = `${endpoints.api}/files/${encodeURIComponent(id)}${rest}`
  return urlOf(url, { ...supported, ...parameters })
}

/** Ids per call: one call for hundreds of new files. */
const batchSize = 500

/** Ids for new files, fetched in advance. With an id, a repeated call creates no duplicate. */
export class FileIds {
  readonly #generate: (count: number) => Promise<readonly string[]>
  readonly #ids: string[] = []
  #filling: Promise<void> | undefined

  constructor(generate: (count: number) => Promise<readonly string[]>) {
    this.#generate = generate
  }

  async next(): Promise<string> {
    for (;;) {
      const id = this.#ids.pop()
      if (id !== undefined) return id
      // Concurrent callers wait for the same batch.
      this.#filling ??= this.#fill()
      await this.#filling
    }
  }

  /** Takes back an id that was not used for a file and will not be. */
  giveBack(id: string): void {
    this.#ids.push(id)
  }

  async #fill(): Promise<void> {
    try {
      this.#ids.push(...(await this.#generate(batchSize)))
    } finally {
      this.#filling = undefined
    }
  }
}

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
