import { resolve } from 'node:path'
import { createSecureContext } from 'node:tls'
import type { TlsIdentity } from '../../platform/http/server.ts'
import type { DrivePlace } from '../../storage/drives/drive-kind.ts'
import { areNested } from '../../storage/drives/route/mount.ts'
import { type DriveLocation, kindOf } from './drive-kinds.ts'
import { drivesThatAnswer, locationMistakes, type PrivatePath } from './location-mistakes.ts'
import { didYouMean } from './nearest-name.ts'
import { type DriveSettings, isOfNamedDrive, nameOfDrive } from './own-drives.ts'
import { type BucketPlaceSetting, defaultDriveName, hostAndPort } from './parse-names.ts'
import { type Environment, hasValue, isGiven, type Setting, shown } from './setting.ts'
import { type SettingValues, settingsTable } from './tables/settings-table.ts'

interface CrossChecked {
  readonly environment: Environment
  readonly settings: SettingValues
  readonly drives: readonly DriveSettings[]
  /** The keys of ACCESS_KEYS. */
  readonly accessKeys: readonly { readonly accessKeyId: string }[]
  /** Files that hold settings. */
  readonly files: readonly PrivatePath[]
}

/**
 * Mistakes that no value has alone: settings that contradict each other, and the places that they name. A value that is not
 * valid is undefined here, whatever its type says; COMPATIBILITY and DATA_DIR then have their defaults.
 */
export async function crossMistakes({
  environment,
  settings,
  drives,
  accessKeys,
  files,
}: CrossChecked): Promise<string[]> {
  const named = drives.map(({ name }) => name).filter((name) => name !== '')
  const answering = await drivesThatAnswer(drives)
  return [
    ...placeMistakes(settings.allowedBuckets ?? [], named),
    ...bucketMistakes(settings),
    ...defaultBucketMistakes(settings),
    ...websiteMistakes(settings),
    ...keyMistakes(settings, accessKeys),
    ...readOnlyMistakes(settings, drives),
    ...drives.flatMap((drive) => driveMistakes(drive, settings)),
    ...nestedDrives(answering),
    ...tlsMistakes(environment, settings),
    ...portMistakes(settings),
    ...answering.flatMap((drive) => locationMistakes(drive, settings, files)),
  ]
}

function keyMistakes(
  { accessKey }: SettingValues,
  declared: readonly { readonly accessKeyId: string }[],
): string[] {
  if (!declared.some(({ accessKeyId }) => accessKeyId === accessKey)) return []
  return [`ACCESS_KEYS has ${shown(accessKey ?? '')}: expected other IDs than ACCESS_KEY`]
}

/** Files that hold settings. */
export function settingFiles(environment: Environment, envFile: string | undefined): PrivatePath[] {
  const names = Object.values<Setting<unknown>>(settingsTable).map(({ name }) => `${name}_FILE`)
  const ofDrives = Object.entries(environment)
    .filter(([name, value]) => name.endsWith('_FILE') && isOfNamedDrive(name, value))
    .map(([name]) => name)
  const files = [...new Set([...names, ...ofDrives])].flatMap((name) => {
    const path = environment[name]
    return hasValue(path) ? [{ name, path: resolve(path) }] : []
  })
  const own = envFile === undefined ? [] : [{ name: 'The generated settings file', path: envFile }]
  return [...own, ...files]
}

function websiteMistakes({
  websiteDomains = [],
  virtualHostDomains = [],
  compatibility,
}: SettingValues): string[] {
  if (websiteDomains.length > 0 && compatibility !== 'aws') {
    return ['WEBSITE_DOMAINS is set: expected COMPATIBILITY=aws, with which buckets have websites']
  }
  const both = websiteDomains.filter((domain) => virtualHostDomains.includes(domain))
  return both.map(
    (domain) =>
      `WEBSITE_DOMAINS has ${shown(domain)}: expected other domains than VIRTUAL_HOST_DOMAINS`,
  )
}

type TlsValues = Pick<SettingValues, 'tlsCert' | 'tlsKey'>

export function tlsIdentityOf({ tlsCert, tlsKey }: TlsValues): TlsIdentity | undefined {
  return tlsCert === undefined || tlsKey === undefined ? undefined : { cert: tlsCert, key: tlsKey }
}

function bucketMistakes({
  allowedBuckets,
  publicReadBuckets,
  bucketCreation,
  acls,
}: SettingValues): string[] {
  if (acls === 'bucket' && bucketCreation !== undefined && bucketCreation !== 'on') {
    return [
      'ACLS is bucket: expected BUCKET_CREATION=on, with which S3 clients may configure buckets',
    ]
  }
  if (allowedBuckets === undefined) return []
  // Clients can create the first one.
  if (allowedBuckets.length === 0 && bucketCreation !== 'on') {
    return ['ALLOWED_BUCKETS is empty: expected at least one bucket']
  }
  const names = allowedBuckets.map(({ bucket }) => bucket)
  const strangers = publicReadBuckets?.filter((name) => !names.includes(name)) ?? []
  return strangers.map(
    (name) => `PUBLIC_READ_BUCKETS has ${shown(name)}: expected only buckets of ALLOWED_BUCKETS`,
  )
}

function defaultBucketMistakes({
  defaultBuckets = [],
  bucketCreation,
  compatibility,
}: SettingValues): string[] {
  if (defaultBuckets.length > 0 && bucketCreation !== undefined && bucketCreation !== 'on') {
    return [
      'DEFAULT_BUCKETS is set: expected BUCKET_CREATION=on, or the buckets in ALLOWED_BUCKETS',
    ]
  }
  const open = defaultBuckets.find(({ access }) => access !== 'none')
  if (open === undefined || compatibility === 'aws') return []
  return [
    `DEFAULT_BUCKETS has ${open.bucket}:${open.access}: expected COMPATIBILITY=aws, with which buckets have policies`,
  ]
}

function readOnlyMistakes(
  { readOnly = [], allowedBuckets = [] }: SettingValues,
  drives: readonly DriveSettings[],
): string[] {
  const names = drives.map(({ name }) => `@${name || defaultDriveName}`)
  const known = [...allowedBuckets.map(({ bucket }) => bucket), ...names]
  return readOnly.flatMap((one) => {
    if (known.includes(one)) return []
    const hint = didYouMean(one, known)
    const what = 'expected buckets of ALLOWED_BUCKETS, or drives such as @NAME for DRIVE_NAME'
    return [`READ_ONLY has ${shown(one)}: ${what}${hint}`]
  })
}

function driveMistakes(own: DriveSettings, { workers }: SettingValues): string[] {
  if (own.drive === undefined) return []
  const setting = nameOfDrive('drive', own.name)
  const kind = kindOf(own.drive)
  if (kind.isInMemory && workers !== 1) {
    return [`${setting} is ${kind.form}, which processes cannot share: expected WORKERS=1`]
  }
  return kind.mistakes?.(own, setting) ?? []
}

function portMistakes({ port, metricsPort, dashboardAddress }: SettingValues): string[] {
  if (dashboardAddress !== undefined && hostAndPort(dashboardAddress).port === port) {
    return ['DASHBOARD_ADDRESS has the port of PORT, which serves the dashboard anyway: remove it']
  }
  if (metricsPort === undefined || metricsPort === 0 || metricsPort !== port) return []
  return [
    'METRICS_PORT is the same as PORT: expected another port, or only METRICS_TOKEN to serve metrics on PORT',
  ]
}

export function tlsMistakes(environment: Environment, values: TlsValues): string[] {
  const hasCert = isGiven(environment, settingsTable.tlsCert.name)
  const hasKey = isGiven(environment, settingsTable.tlsKey.name)
  if (hasCert !== hasKey)
    return ['only one of TLS_CERT and TLS_KEY is set: expected both or neither']
  const identity = tlsIdentityOf(values)
  // Absent, or invalid and already reported.
  if (identity === undefined) return []
  try {
    createSecureContext(identity)
    return []
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return [`TLS_CERT and TLS_KEY: expected a certificate and its private key in PEM (${code})`]
  }
}

/** Mistakes in how buckets and drives belong together. */
function placeMistakes(places: readonly BucketPlaceSetting[], drives: readonly string[]): string[] {
  const mistakes = places.flatMap(({ bucket, drive }) => {
    if (drive === '' || drives.includes(drive)) return []
    const hint = didYouMean(drive, drives)
    return [`ALLOWED_BUCKETS has ${bucket}@${drive}, but DRIVE_${drive} is not set${hint}`]
  })
  for (const name of drives) {
    if (places.some(({ drive }) => drive === name)) continue
    mistakes.push(
      `DRIVE_${name} is set, but no bucket is on it: write BUCKET@${name} in ALLOWED_BUCKETS`,
    )
  }
  return [...mistakes, ...doubleBuckets(places), ...sharedFolders(places)]
}

function doubleBuckets(places: readonly BucketPlaceSetting[]): string[] {
  const names = places.map(({ bucket }) => bucket)
  const doubles = new Set(names.filter((name, index) => names.indexOf(name) !== index))
  return [...doubles].map((name) => `ALLOWED_BUCKETS has ${name} twice, in different places`)
}

function sharedFolders(places: readonly BucketPlaceSetting[]): string[] {
  return pairsOf(places).flatMap(([one, other]) => {
    const isSame = one.drive === other.drive && one.bucket !== other.bucket
    if (!isSame || !areNested(one.folder, other.folder)) return []
    return [
      `ALLOWED_BUCKETS has ${one.bucket} and ${other.bucket} in the same folder, or one in the other: expected separate folders`,
    ]
  })
}

/** Two drives at one place, or one inside the other, would take each other's files for objects. */
function nestedDrives(drives: readonly DriveSettings[]): string[] {
  return pairsOf(drives).flatMap(([one, other]) => {
    const [place, otherPlace] = [placeOf(one), placeOf(other)]
    if (place === undefined || otherPlace === undefined) return []
    if (place.server !== otherPlace.server || !areNested(place.path, otherPlace.path)) return []
    const names = [one, other].map(({ name }) => nameOfDrive('drive', name))
    return [
      `${names.join(' and ')} are in the same place, or one in the other: expected separate folders`,
    ]
  })
}

/** Undefined also if the location is not valid. */
function placeOf(own: DriveSettings): DrivePlace | undefined {
  const location = own.drive as DriveLocation | undefined
  return location && kindOf(location).placeOf?.(own)
}

function pairsOf<Item>(items: readonly Item[]): (readonly [Item, Item])[] {
  return items.flatMap((one, index) => items.slice(index + 1).map((other) => [one, other] as const))
}
