import { md5Of, testBytes } from '../support/test-bytes.ts'

/** One content of an object, recognizable by any part of it. */
export interface Version {
  readonly label: string
  readonly bytes: Buffer<ArrayBuffer>
  readonly etag: string
  /** Of all bytes. */
  readonly md5: string
  /** Sizes of the parts; empty if it was not sent in parts. */
  readonly partSizes: readonly number[]
}

/** Larger than drives send in one request with the metadata, and not a multiple of any block. */
const wholeSize = 150_001

export function wholeVersion(label: string, size = wholeSize): Version {
  const bytes = testBytes(label, size)
  const md5 = md5Of(bytes)
  return { label, bytes, etag: md5, md5, partSizes: [] }
}

export function versionInParts(label: string, partSizes: readonly number[]): Version {
  const bytes = testBytes(
    label,
    partSizes.reduce((sum, size) => sum + size, 0),
  )
  const digests = partsOf({ bytes, partSizes }).map((part) => md5Of(part))
  const etag = `${md5Of(Buffer.from(digests.join(''), 'hex'))}-${partSizes.length}`
  return { label, bytes, etag, md5: md5Of(bytes), partSizes }
}

export function partsOf({ bytes, partSizes }: Pick<Version, 'bytes' | 'partSizes'>) {
  let end = 0
  return partSizes.map((size) => {
    end += size
    return bytes.subarray(end - size, end)
  })
}

/** Headers to store with the object and expect when reading it. */
export function headersOf({ label }: Version): Record<string, string> {
  return { 'content-type': `text/x-${label}`, 'x-amz-meta-version': label }
}
