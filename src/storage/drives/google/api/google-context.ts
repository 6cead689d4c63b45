import type { FileIds } from './file-ids.ts'
import type { GoogleCalls } from './google-calls.ts'

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

/** What all calls of one account share. */
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

/** Without it, Drive hides shared drives. */
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
