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
