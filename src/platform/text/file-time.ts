/** The end of the year 9999, in seconds since the epoch. */
const latestSeconds = 253_402_300_799

const decimal = /^\d{1,12}(?:\.\d{1,9})?$/
/** `atime:1700000000#5/gid:0/mtime:1700000000#123456789/uid:0` */
const mcTime = /(?:^|\/)mtime:(\d{1,12})(?:#\d{1,9})?(?:\/|$)/

/**
 * The modification time of the file that was uploaded, in milliseconds since the epoch. rclone and s3fs keep it in
 * `x-amz-meta-mtime` as seconds, with or without a fraction, and mc in `x-amz-meta-mc-attrs`. Undefined if the metadata
 * has none, or something else under these names.
 *
 * @param metadata names without `x-amz-meta-`
 */
export function fileTimeOf(metadata: Readonly<Record<string, string>>): number | undefined {
  const { mtime = '', 'mc-attrs': attributes = '' } = metadata
  const text = decimal.test(mtime) ? mtime : mcTime.exec(attributes)?.[1]
  const seconds = Number(text)
  // s3fs takes 0 for no time.
  return seconds > 0 && seconds <= latestSeconds ? Math.floor(seconds * 1_000) : undefined
}

/** The value of `x-amz-meta-mtime` for a time in milliseconds since the epoch; undefined if it cannot be stored. */
export function fileTimeText(timeMs: number): string | undefined {
  const text = String(timeMs / 1_000)
  return fileTimeOf({ mtime: text }) === undefined ? undefined : text
}
