import { percentEncode } from '../../../../platform/text/percent-encoding.ts'
import type { ObjectName } from '../../drive.ts'
import { DriveError } from '../../drive-error.ts'
import { requireLegalKey } from '../../kit/names/key-path.ts'
import type { StoreAbility } from './store-abilities.ts'

/** The S3 store in DRIVE. */
export interface StoreAddress {
  /** `https://host:port`. */
  readonly endpoint: string
  /** The store's bucket whose folders are the buckets. Absent: the store's buckets are the buckets. */
  readonly bucket?: string
  /** The prefix of every key in that bucket: empty, or ends in `/`. */
  readonly prefix: string
}

/** The form of an address, for messages. */
export const storeAddressForm =
  's3+https://host[:port] or s3+https://host[:port]/BUCKET[/prefix]. The keys are in S3_DRIVE_ACCESS_KEY and S3_DRIVE_SECRET_KEY'

/** @throws DriveError `denied` with a user-facing message; its message never contains what may be a password. */
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

/** The name of an object in the store, in the SDK's form. */
export interface StoreName {
  readonly Bucket: string
  readonly Key: string
  /** Absent: the current version. */
  readonly VersionId?: string | undefined
}

/** Where the keys of a bucket begin in the store. */
export interface StorePlace {
  readonly Bucket: string
  /** The prefix of every key: empty, or ends in `/`. */
  readonly prefix: string
}

/** The maximum length of a key in S3, in UTF-8. */
export const maxKeyBytes = 1024

/** The probe's folder. If the buckets are those of the store, it is in one of them, hidden from clients. */
const ownFolder = '.bucketry-probe/'

/** How buckets and keys are named in the store. Keys are not escaped. */
export class StoreNames {
  readonly #address: StoreAddress

  constructor(address: StoreAddress) {
    this.#address = address
  }

  /** Whether buckets are folders of one bucket of the store. */
  get areFolders(): boolean {
    return this.#address.bucket !== undefined
  }

  placeOf(bucket: string): StorePlace {
    const { bucket: Bucket, prefix } = this.#address
    if (Bucket !== undefined) return { Bucket, prefix: `${prefix}${bucket}/` }
    if (!bucket.includes('/')) return { Bucket: bucket, prefix: '' }
    const message = `${bucket} is a nested folder and can't be a bucket: this drive serves the buckets of an S3 store. Set DRIVE to s3+https://host/BUCKET.`
    throw new DriveError('denied', message)
  }

  /** @throws DriveError `key-too-long` if folder and key together are longer than S3 allows */
  nameOf({ bucket, key }: ObjectName): StoreName {
    requireLegalKey(key)
    if (this.isOwn(key)) {
      throw new DriveError('invalid-key', `Keys that begin with ${ownFolder} are reserved.`)
    }
    const { Bucket, prefix } = this.placeOf(bucket)
    const Key = prefix + key
    if (Buffer.byteLength(Key) <= maxKeyBytes) return { Bucket, Key }
    const message = `With its folder ${prefix}, the key is longer than the 1,024 bytes that S3 allows.`
    throw new DriveError('key-too-long', message)
  }

  /** Whether the key is in the probe's folder, or is that folder. */
  isOwn(key: string): boolean {
    return !this.areFolders && key.startsWith(ownFolder)
  }

  /** A name for the probe. @param bucket it is in this one, if the buckets are those of the store */
  ownName(bucket: string, name: string): StoreName {
    const { bucket: shared, prefix } = this.#address
    return {
      Bucket: shared ?? bucket,
      Key: `${shared === undefined ? '' : prefix}${ownFolder}${name}`,
    }
  }
}

/** An empty name, `.` or `..` between slashes. */
const pathLike = /(?:^|\/)(?:\.{0,2}\/|\.{1,2}$)/

/** What a store must have to keep this key apart from others. */
export function abilitiesOfKey(key: string): readonly StoreAbility[] {
  return [
    ...(pathLike.test(key) ? (['exactKeys'] as const) : []),
    ...(key.startsWith('/') ? (['leadingSlashes'] as const) : []),
    ...(key.includes('\\') ? (['backslashes'] as const) : []),
  ]
}

/** The SDK's CopySource, escaped because it is sent as a header field. */
export function copySource({ Bucket, Key, VersionId }: StoreName): string {
  const path = `${Bucket}/${Key}`.split('/').map(percentEncode).join('/')
  return VersionId === undefined ? path : `${path}?versionId=${percentEncode(VersionId)}`
}
