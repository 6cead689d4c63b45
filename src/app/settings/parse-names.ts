import ipaddr from 'ipaddr.js'
import { SettingMistake } from '../../platform/process/setting-mistake.ts'
import { shown } from './setting.ts'

/** Parsers of names with external rules: buckets, keys, regions, hosts, origins. */

/** First segments of the URL space that are not buckets (docs/architecture.md). */
const reservedBuckets: ReadonlySet<string> = new Set(['auth', 'v1'])

/**
 * "Bucket naming rules" for general purpose buckets
 * (https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html).
 */
const bucketRules: readonly (readonly [isBroken: RegExp, expectation: string])[] = [
  [/^.{0,2}$|^.{64,}$/, 'of 3 to 63 characters'],
  [/[^a-z0-9.-]/, 'with only lower-case letters, digits, dots and hyphens'],
  [/^[^a-z0-9]|[^a-z0-9]$/, 'that begin and end with a letter or digit'],
  [/\.\./, 'without adjacent dots'],
  [/^\d+\.\d+\.\d+\.\d+$/, 'that do not look like an IP address'],
  [/^(xn--|sthree-|amzn-s3-demo-)/, 'without the prefixes xn--, sthree-, amzn-s3-demo-'],
  [
    /(-s3alias|--ol-s3|\.mrap|--x-s3|--table-s3)$/,
    'without the suffixes -s3alias, --ol-s3, .mrap, --x-s3, --table-s3',
  ],
]

export function bucketName(text: string): string {
  if (reservedBuckets.has(text)) {
    throw new SettingMistake(`bucket names other than ${text}, which is reserved`)
  }
  for (const [isBroken, expectation] of bucketRules) {
    if (isBroken.test(text)) {
      throw new SettingMistake(`bucket names ${expectation}; ${shown(text)} is not valid`)
    }
  }
  return text
}

/** Whether a bucket could have the name. */
export function isBucketName(text: string): boolean {
  try {
    bucketName(text)
    return true
  } catch (error) {
    if (error instanceof SettingMistake) return false
    throw error
  }
}

/** A credential is `key/date/region/service/aws4_request` in a comma-separated header. */
export function accessKey(text: string): string {
  if (!/^[!-~]{1,128}$/.test(text) || /[/,=]/.test(text)) {
    throw new SettingMistake('1 to 128 visible ASCII characters except / , =')
  }
  return text
}

export function regionName(text: string): string {
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(text)) {
    throw new SettingMistake('1 to 64 letters, digits, hyphens or underscores, such as us-east-1')
  }
  return text
}

/** A region, or `*` for every one. */
export function regionOrAny(text: string): string {
  return text === '*' ? text : regionName(text)
}

export function hostName(text: string): string {
  if (!/^[A-Za-z0-9._:%-]+$/.test(text) || (text.includes(':') && !ipaddr.isValid(text))) {
    throw new SettingMistake('an IP address or host name without a port, such as 127.0.0.1 or ::')
  }
  return text
}

/** Where a server listens. */
interface ListenAddress {
  /** Absent: all interfaces that HOST names. */
  readonly host?: string
  readonly port: number
}

/** `:9001`, `127.0.0.1:9001` or `[::1]:9001`. */
export function hostAndPort(text: string): ListenAddress {
  const [, host = '', port = '0'] = /^(.*):(\d{1,5})$/.exec(text) ?? []
  if (Number(port) < 1 || Number(port) > 65_535) {
    throw new SettingMistake('[HOST]:PORT, such as :9001 or 127.0.0.1:9001')
  }
  const name = host.replace(/^\[(.*)\]$/, '$1')
  return { ...(name !== '' && { host: hostName(name) }), port: Number(port) }
}

/** As `hostAndPort`, and returns the text itself. */
export function listenAddress(text: string): string {
  hostAndPort(text)
  return text
}

/** A domain of hosts, in lower case. */
export function domainName(text: string): string {
  const name = text.toLowerCase()
  const labels = name.split('.')
  const isDomain = labels.every((label) => /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/.test(label))
  if (isDomain && !/^\d+$/.test(labels.at(-1) ?? '')) return name
  throw new SettingMistake('a domain such as s3.example.net, without port and *')
}

/** Scheme, host and port, as browsers send it (RFC 6454 section 6.2), or `*` for every origin. */
export function originOrAny(text: string): string {
  if (text === '*') return text
  if (!URL.canParse(text) || new URL(text).origin !== text) {
    throw new SettingMistake(
      `origins such as https://example.org, or *; ${shown(text)} is not valid`,
    )
  }
  return text
}

export function addressRange(text: string): string {
  if (!ipaddr.isValid(text) && !ipaddr.isValidCIDR(text)) {
    throw new SettingMistake(
      `IP addresses or ranges such as 10.0.0.0/8; ${shown(text)} is not valid`,
    )
  }
  return text
}

/**
 * An origin without a trailing slash. A path is refused: signatures cover the path that the client
 * used, so a proxy that removes a prefix would break all of them.
 */
export function publicOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isWeb = url?.protocol === 'http:' || url?.protocol === 'https:'
  if (url === undefined || !isWeb || `${url.origin}/` !== url.href) {
    throw new SettingMistake('http:// or https:// and a host, without a path')
  }
  return url.origin
}

/** Names the default drive, the one in DRIVE. */
export const defaultDriveName = 'DEFAULT'

/** Where a bucket is. */
export interface BucketPlaceSetting {
  readonly bucket: string
  /** The name of its drive; '' for the default drive. */
  readonly drive: string
  /** The path of its folder on that drive. */
  readonly folder: string
}

const driveNamePattern = /^[A-Z][A-Z0-9_]*$/
const longestName = 255

/** `photos`, `backup@ARCHIVE` or `music@NAS:Music/Lossless`. */
export function bucketPlace(text: string): BucketPlaceSetting {
  const [, bucket = text, drive = '', folder] = /^([^@]*)@([^:]*)(?::(.*))?$/s.exec(text) ?? []
  bucketName(bucket)
  if (text.includes('@')) driveName(drive)
  const name = drive === defaultDriveName ? '' : drive
  return { bucket, drive: name, folder: folder === undefined ? bucket : folderOnDrive(folder) }
}

/** What everyone may do in a bucket, as `mc anonymous set` names it. */
const accessNames = ['none', 'download', 'upload', 'public'] as const

/** A bucket to create at the start. */
interface DefaultBucketSetting {
  readonly bucket: string
  readonly access: (typeof accessNames)[number]
}

/** `photos` or `photos:download`. */
export function defaultBucket(text: string): DefaultBucketSetting {
  const [bucket = '', given = 'none', ...others] = text.split(':')
  // Both are names of mc.
  const access = accessNames.find((name) => name === (given === 'private' ? 'none' : given))
  if (access === undefined || others.length > 0) {
    throw new SettingMistake(`BUCKET or BUCKET:ACCESS with one of ${accessNames.join(', ')}`)
  }
  return { bucket: bucketName(bucket), access }
}

/** How it is written in DEFAULT_BUCKETS. */
export function defaultBucketText({ bucket, access }: DefaultBucketSetting): string {
  return access === 'none' ? bucket : `${bucket}:${access}`
}

/** A bucket, or `@NAME` for all buckets of a drive. */
export function bucketOrDrive(text: string): string {
  if (text.startsWith('@')) driveName(text.slice(1))
  else bucketName(text)
  return text
}

/** How a place is written in ALLOWED_BUCKETS. */
export function placeText({ bucket, drive, folder }: BucketPlaceSetting): string {
  const path = folder === bucket ? '' : `:${folder}`
  if (drive === '' && path === '') return bucket
  return `${bucket}@${drive || defaultDriveName}${path}`
}

function driveName(name: string): void {
  if (driveNamePattern.test(name)) return
  throw new SettingMistake(
    `the name of a drive after @, in capital letters, digits and _; ${shown(name)} is not valid`,
  )
}

function folderOnDrive(folder: string): string {
  const names = folder.split('/')
  const isValid = names.every((name) => {
    const isDots = name === '' || name === '.' || name === '..'
    return !isDots && !/[\p{Cc}\\]/u.test(name) && Buffer.byteLength(name) <= longestName
  })
  if (isValid && names[0] !== '.bucketry') return folder
  throw new SettingMistake(
    `a folder on the drive such as Music/Lossless after the colon; ${shown(folder)} is not valid`,
  )
}
