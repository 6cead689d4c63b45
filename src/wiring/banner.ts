import type { FirstStart } from './first-start.ts'
import type { DrivePlace } from './settings/parse-places.ts'
import type { Settings } from './settings/read-settings.ts'

export interface BannerFacts {
  readonly settings: Settings
  readonly port: number
  readonly firstStart: FirstStart
  /** Whether a person reads it, and no file or log collector. */
  readonly isTerminal: boolean
}

/**
 * What a person reads who has started the program: where it is, and lines to paste. They take secrets
 * from the file that keeps them. The only secret shown is a new dashboard password, on a terminal.
 */
export function bannerText({ settings, port, firstStart, isTerminal }: BannerFacts): string {
  const endpoint = settings.publicUrl ?? listeningUrl(settings, port)
  const keys = keySource(settings, firstStart)
  const bucket = settings.allowedBuckets[0] ?? ''
  const lines = [
    '',
    `Bucketry serves S3 at ${endpoint}`,
    '',
    `  dashboard  ${dashboardText(settings, endpoint, { ...firstStart, isTerminal })}`,
    `  files      ${placeText(settings.drive)}`,
    `  buckets    ${settings.allowedBuckets.join(', ')}`,
    `  keys       ${keys.description}`,
    '',
    'aws-cli:',
    ...keys.shellLines,
    `  export AWS_ACCESS_KEY_ID=${keys.accessKey} AWS_SECRET_ACCESS_KEY=${keys.secretKey}`,
    `  export AWS_DEFAULT_REGION=${settings.region}`,
    `  aws --endpoint-url ${endpoint} s3 ls s3://${bucket}/`,
    '',
    'rclone:',
    ...keys.shellLines,
    // Without no_check_bucket rclone makes the bucket before a single upload, which is a 405 here.
    '  rclone config create bucketry s3 provider=Other no_check_bucket=true \\',
    `    endpoint=${endpoint} region=${settings.region} \\`,
    `    access_key_id=${keys.accessKey} secret_access_key=${keys.secretKey}`,
    `  rclone ls bucketry:${bucket}`,
    '',
  ]
  return lines.map((line) => `${line}\n`).join('')
}

function dashboardText(
  { dashboardPassword }: Settings,
  endpoint: string,
  { file, isNew, isTerminal }: FirstStart & Pick<BannerFacts, 'isTerminal'>,
): string {
  if (dashboardPassword === undefined) return 'off: DASHBOARD_PASSWORD is not set'
  const source = file === undefined ? 'from your settings' : `DASHBOARD_PASSWORD in ${file}`
  const password = isNew && isTerminal ? `${dashboardPassword} (${source})` : source
  return `${endpoint}/-/ with the password ${password}`
}

/** Where the drive is, without the password that its address may have. */
export function placeText(place: DrivePlace): string {
  if (place.kind === 'file') return place.path
  if (place.kind === 'gdrive') return `Google Drive, ${place.folder || 'all of it'}`
  if (place.kind === 'memory') return 'in memory: all of them go when this process ends'
  const { origin, pathname } = new URL(place.url.replace(/^webdav\+/, ''))
  return `${origin}${pathname}`
}

/** The address to reach this machine's own server at, whatever address it listens on. */
export function listeningUrl({ host, tlsCert }: Settings, port: number): string {
  const scheme = tlsCert === undefined ? 'http' : 'https'
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `${scheme}://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}

interface KeySource {
  readonly description: string
  /** Lines that make the two variables below known to the shell. */
  readonly shellLines: readonly string[]
  readonly accessKey: string
  readonly secretKey: string
}

function keySource({ accessKey }: Settings, { file, isNew }: FirstStart): KeySource {
  if (file === undefined) {
    const description = `${accessKey} with its secret, from your settings`
    return { description, shellLines: [], accessKey, secretKey: 'YOUR_SECRET_KEY' }
  }
  return {
    description: isNew ? `new, kept in ${file}` : `from ${file}`,
    shellLines: [`  . ${shellQuoted(file)}`],
    accessKey: '$ACCESS_KEY',
    secretKey: '$SECRET_KEY',
  }
}

function shellQuoted(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
