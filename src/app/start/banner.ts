import { type DriveLocation, kindOf } from '../settings/drive-kinds.ts'
import { defaultBucketText, placeText } from '../settings/parse-names.ts'
import type { Settings } from '../settings/read-settings.ts'
import type { FirstStart } from './first-start.ts'

export interface BannerOptions {
  readonly settings: Settings
  readonly port: number
  readonly firstStart: FirstStart
  /** Whether standard error is a terminal, not a file or log collector. */
  readonly isTerminal: boolean
}

/**
 * The text that the program prints at start: its addresses, and commands to paste, which read secrets
 * from the settings file. The only secret shown is a new dashboard password, on a terminal.
 */
export function bannerText({ settings, port, firstStart, isTerminal }: BannerOptions): string {
  const endpoint = settings.publicUrl ?? listeningUrl(settings, port)
  const keys = keySource(settings, firstStart)
  const [bucket] = settings.allowedBuckets
  const lines = [
    '',
    `Bucketry serves S3 at ${endpoint}`,
    '',
    `  dashboard  ${dashboardText(settings, endpoint, { ...firstStart, isTerminal })}`,
    `  files      ${whereOf(settings.drive)}`,
    ...settings.drives.slice(1).map(({ name, drive }) => `  @${name.padEnd(9)} ${whereOf(drive)}`),
    ...durabilityLines(settings),
    `  buckets    ${[...settings.bucketPlaces.map(placeText), ...settings.defaultBuckets.map(defaultBucketText)].join(', ')}`,
    `  keys       ${keys.description}`,
    `  workers    ${settings.workers}`,
    '',
    'aws-cli:',
    ...keys.shellLines,
    `  export AWS_ACCESS_KEY_ID=${keys.accessKey} AWS_SECRET_ACCESS_KEY=${keys.secretKey}`,
    `  export AWS_DEFAULT_REGION=${settings.region}`,
    `  aws --endpoint-url ${endpoint} s3 ls${bucket === undefined ? '' : ` s3://${bucket}/`}`,
    '',
    'rclone:',
    ...keys.shellLines,
    // Without no_check_bucket, rclone creates the bucket before a single upload and gets a 405.
    '  rclone config create bucketry s3 provider=Other no_check_bucket=true \\',
    `    endpoint=${endpoint} region=${settings.region} \\`,
    `    access_key_id=${keys.accessKey} secret_access_key=${keys.secretKey}`,
    `  rclone ls bucketry:${bucket ?? ''}`,
    '',
    ...modeLines(settings),
  ]
  return lines.map((line) => `${line}\n`).join('')
}

/** Only for what is not the default: a power failure may lose what was acknowledged. */
function durabilityLines({ durability }: Settings): string[] {
  if (durability === 'synced') return []
  return ['  durability relaxed: a power failure can lose the last seconds of writes']
}

function modeLines({ compatibility }: Settings): string[] {
  if (compatibility === 'aws') return []
  return ['Applications made for AWS S3 or MinIO need COMPATIBILITY=aws (--compatibility aws).', '']
}

function dashboardText(
  { dashboardPassword, dashboardAddress }: Settings,
  endpoint: string,
  { file, isNew, isTerminal }: FirstStart & Pick<BannerOptions, 'isTerminal'>,
): string {
  if (dashboardPassword === undefined) return 'off: DASHBOARD_PASSWORD is not set'
  const source = file === undefined ? 'from your settings' : `DASHBOARD_PASSWORD in ${file}`
  const password = isNew && isTerminal ? `${dashboardPassword} (${source})` : source
  const also = dashboardAddress === undefined ? '' : `, also at ${dashboardAddress},`
  return `${endpoint}/-/${also} with password ${password}`
}

/** A URL at which this machine reaches the server, whatever address it listens on. */
export function listeningUrl({ host, tlsCert }: Settings, port: number): string {
  const scheme = tlsCert === undefined ? 'http' : 'https'
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `${scheme}://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}

interface KeySource {
  readonly description: string
  /** Commands that define the two variables below in the shell. */
  readonly shellLines: readonly string[]
  readonly accessKey: string
  readonly secretKey: string
}

function keySource({ accessKey }: Settings, { file, isNew }: FirstStart): KeySource {
  if (file === undefined) {
    const description = `${accessKey} and its secret key, from your settings`
    return { description, shellLines: [], accessKey, secretKey: 'YOUR_SECRET_KEY' }
  }
  return {
    description: isNew ? `new, saved in ${file}` : `from ${file}`,
    shellLines: [`  . ${shellQuoted(file)}`],
    accessKey: '$ACCESS_KEY',
    secretKey: '$SECRET_KEY',
  }
}

function shellQuoted(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

function whereOf(drive: DriveLocation): string {
  return kindOf(drive).describe(drive)
}
