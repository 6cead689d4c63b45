import { DavError } from './dav-error.ts'

export interface ByteRange {
  readonly start: number
  /** Inclusive. */
  readonly end: number
}

/**
 * The range to serve, as sabre/dav's CorePlugin::httpGet computes it; undefined: the whole file. PHP
 * takes an end of `0` for a missing one, so `bytes=0-0` returns the whole file with 206. Several ranges
 * and empty files return 200.
 */
export function chooseRange(header: string | undefined, size: number): ByteRange | undefined {
  const [, from = '', to = ''] = /^bytes=([0-9]*)-([0-9]*)$/i.exec(header ?? '') ?? []
  if (size === 0 || (from === '' && to === '')) return undefined
  if (from === '') return { start: Math.max(0, size - Number(to)), end: size - 1 }
  const start = Number(from)
  const end = Number(to) === 0 ? size - 1 : Number(to)
  if (start >= size) throw new DavError(416, `The start offset (${start}) exceeded the size`)
  if (end < start) throw new DavError(416, `The end offset (${end}) is lower than the start offset`)
  return { start, end: Math.min(end, size - 1) }
}
