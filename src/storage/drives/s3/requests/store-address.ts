import { DriveError } from '../../drive-error.ts'

/** The S3 store in DRIVE. */
export interface StoreAddress {
  /** `https://host:port`. */
  readonly endpoint: string
  /** The store's bucket whose folders are the buckets. Absent: its buckets are the buckets. */
  readonly bucket?: string
  /** Before every key in that bucket: empty, or ends in `/`. */
  readonly prefix: string
}

/** The form of an address, for messages. */
export const storeAddressForm =
  's3+https://host[:port] or s3+https://host[:port]/BUCKET[/prefix]. The keys are in S3_DRIVE_ACCESS_KEY and S3_DRIVE_SECRET_KEY'

/** @throws DriveError `denied`, for people; its message never contains what may be a password. */
export function parseStoreAddress(text: string): StoreAddress {
  const plain = text.replace(/^s3\+/, '')
  const url = URL.canParse(plain) ? new URL(plain) : undefined
  const isPlain = url !== undefined && /^https?:$/.test(url.protocol) && text.startsWith('s3+')
  if (!isPlain || url.username + url.password + url.search + url.hash !== '') throw wrongForm()
  const [bucket, ...folders] = namesIn(url.pathname)
  if (bucket?.includes('/')) throw wrongForm()
  const prefix = folders.map((name) => `${name}/`).join('')
  return { endpoint: url.origin, prefix, ...(bucket !== undefined && { bucket }) }
}

/** The same for all spellings of an address. */
export function storeAddressText({ endpoint, bucket, prefix }: StoreAddress): string {
  const path = [...(bucket === undefined ? [] : [bucket]), ...prefix.split('/').slice(0, -1)]
  return `s3+${[endpoint, ...path.map(encodeURIComponent)].join('/')}`
}

function namesIn(path: string): string[] {
  const names = path.replace(/\/$/, '').split('/').slice(1)
  if (names.includes('')) throw wrongForm()
  try {
    return names.map(decodeURIComponent)
  } catch {
    throw wrongForm()
  }
}

function wrongForm(): DriveError {
  return new DriveError('denied', `The drive's address must have the form ${storeAddressForm}.`)
}
