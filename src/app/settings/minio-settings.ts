import { resolve } from 'node:path'
import { SettingMistake, SettingsError } from '../../platform/process/setting-mistake.ts'
import { folderSettings, refuseOtherMount } from './minio-folder.ts'
import { hostAndPort } from './parse-names.ts'
import { type Environment, hasValue, isGiven, type Setting, shown } from './setting.ts'
import { settingsTable } from './tables/settings-table.ts'

/** MinIO's name → ours, for values that mean the same. The last three are those of Bitnami's image. */
const counterparts = {
  MINIO_ROOT_USER: 'ACCESS_KEY',
  MINIO_ACCESS_KEY: 'ACCESS_KEY',
  MINIO_ROOT_PASSWORD: 'SECRET_KEY',
  MINIO_SECRET_KEY: 'SECRET_KEY',
  MINIO_REGION: 'REGION',
  MINIO_SITE_REGION: 'REGION',
  MINIO_SERVER_URL: 'PUBLIC_URL',
  MINIO_DOMAIN: 'VIRTUAL_HOST_DOMAINS',
  MINIO_CONSOLE_ADDRESS: 'DASHBOARD_ADDRESS',
  MINIO_API_CORS_ALLOW_ORIGIN: 'CORS_ALLOWED_ORIGINS',
  MINIO_REGION_NAME: 'REGION',
  MINIO_API_PORT_NUMBER: 'PORT',
  MINIO_DEFAULT_BUCKETS: 'DEFAULT_BUCKETS',
} as const

const rootNames = ['MINIO_ROOT_USER', 'MINIO_ROOT_PASSWORD'] as const
/** As in MinIO, without effect beside the root user: in a file of variables for all services, they are the app's keys. */
const olderNames: ReadonlySet<string> = new Set(['MINIO_ACCESS_KEY', 'MINIO_SECRET_KEY'])

/** The values of the container image, which nobody chose. */
const imageDefaults: Environment = { HOST: '0.0.0.0', PORT: '9000' }

/** MinIO takes the path of a file with a secret as relative to this folder. */
const secretsFolder = '/run/secrets'

export interface MinioSettings {
  readonly environment: Environment
  /** What was taken, and what has no effect. */
  readonly warnings: readonly string[]
}

/**
 * Lets a compose file for MinIO start this program: its root user is the access key, and COMPATIBILITY is `aws`. Only
 * if ACCESS_KEY, SECRET_KEY and COMPATIBILITY do not say otherwise.
 *
 * @throws SettingsError if names for one thing contradict each other, or a value has no meaning here
 */
export function withMinioSettings(environment: Environment): MinioSettings {
  const isOwn = isGiven(environment, 'ACCESS_KEY') || isGiven(environment, 'SECRET_KEY')
  const isContract = isGiven(environment, 'COMPATIBILITY') && environment.COMPATIBILITY !== 'aws'
  if (isOwn || isContract) return { environment, warnings: [] }
  const taken = new Taken(environment)
  if (!taken.has('ACCESS_KEY') || !taken.has('SECRET_KEY')) {
    return { environment, warnings: withoutKeys(environment) }
  }
  taken.set('COMPATIBILITY', 'aws')
  // MinIO's default, on which pages rely that upload by a presigned URL or a form.
  if (!taken.has('CORS_ALLOWED_ORIGINS')) taken.set('CORS_ALLOWED_ORIGINS', '*')
  takeAddresses(taken)
  takeDashboard(taken)
  takeWebhook(taken)
  taken.use('MINIO_VOLUMES', (folders) => {
    const settings = folderSettings(folders.trim().split(/\s+/), taken.environment)
    for (const [name, value] of Object.entries(settings)) taken.set(name, value)
  })
  taken.allow(() => refuseOtherMount(taken.environment))
  if (taken.mistakes.length > 0) throw new SettingsError(taken.mistakes)
  return { environment: taken.environment, warnings: taken.warnings() }
}

/** Whoever removed the keys from a compose file does not expect new ones. */
function withoutKeys(environment: Environment): string[] {
  const names = namesIn(environment)
  if (names.length === 0) return []
  return [
    `${names.join(', ')}: no effect, because MINIO_ROOT_USER and MINIO_ROOT_PASSWORD are not both set`,
  ]
}

/** The variables of MinIO that have a value, in order. */
function namesIn(environment: Environment): string[] {
  const names = Object.keys(environment).filter((name) => name.startsWith('MINIO_'))
  return names.filter((name) => hasValue(environment[name])).sort()
}

/** The settings that MinIO's variables become, and what to say about them. */
class Taken {
  readonly mistakes: string[] = []
  readonly #given: Environment
  readonly #taken: Record<string, string | undefined> = {}
  /** The variables of MinIO that were read. */
  readonly #known = new Set<string>()

  constructor(given: Environment) {
    this.#given = given
    const hasRoot = rootNames.some((name) => isGiven(given, name))
    for (const [theirs, ours] of Object.entries(counterparts)) {
      if (hasRoot && olderNames.has(theirs)) continue
      const direct = given[theirs]
      const file = given[`${theirs}_FILE`]
      if (hasValue(direct)) this.#take(theirs, ours, textFor(ours, direct))
      if (hasValue(file)) {
        this.#take(`${theirs}_FILE`, `${ours}_FILE`, resolve(secretsFolder, file))
      }
    }
  }

  get environment(): Environment {
    return { ...this.#given, ...this.#taken }
  }

  /** Whether a setting has a value, of MinIO's names or of ours. */
  has(name: string): boolean {
    return isGiven(this.environment, name)
  }

  set(name: string, value: string | undefined): void {
    this.#taken[name] = value
  }

  /** Passes on the value of a variable, if it has one. What is wrong with it becomes a mistake. */
  use(theirs: string, take: (value: string) => void): void {
    const value = this.#given[theirs]
    if (!hasValue(value)) return
    this.#known.add(theirs)
    this.allow(() => take(value), `${theirs} is ${shown(value)}: `)
  }

  /** Runs a check. What it throws becomes a mistake. */
  allow(check: () => void, before = ''): void {
    try {
      check()
    } catch (error) {
      if (!(error instanceof SettingMistake)) throw error
      this.mistakes.push(`${before}${error.message}`)
    }
  }

  /** Whether a variable turns something on. */
  isOn(theirs: string): boolean {
    let isOn = false
    this.use(theirs, (value) => {
      isOn = /^(?:on|true)$/i.test(value)
    })
    return isOn
  }

  /** Sets a setting, unless the user has set it to something else. */
  agree(theirs: string, ours: string, value: string): void {
    const other = this.environment[ours]
    if (hasValue(other) && other !== value && other !== imageDefaults[ours]) {
      const own = hasValue(this.#given[ours]) ? ours : 'another variable for it'
      this.mistakes.push(
        `${theirs} and ${own} have different values for ${ours}: remove one of them`,
      )
      return
    }
    this.#check(theirs, ours, value)
    this.#taken[ours] = value
  }

  /** So that a mistake has the name that the user has written. */
  #check(theirs: string, ours: string, value: string): void {
    const setting = Object.values<Setting<unknown>>(settingsTable).find(({ name }) => name === ours)
    const text = setting?.isSecret ? 'a hidden value' : shown(value)
    this.allow(() => setting?.parse(value), `${theirs} is ${text}: `)
  }

  warnings(): string[] {
    const names = namesIn(this.#given)
    const isKnown = (name: string) => this.#known.has(name)
    const idle = names.filter((name) => !isKnown(name))
    return [
      `Started with the variables of MinIO, so COMPATIBILITY is aws: ${names.filter(isKnown).join(', ')} ` +
        '(docs/moving-in.md, "From MinIO").',
      ...(idle.length === 0 ? [] : [`${idle.join(', ')}: no effect here`]),
    ]
  }

  #take(theirs: string, ours: string, value: string): void {
    this.#known.add(theirs)
    this.agree(theirs, ours, value)
  }
}

/** Bitnami's image also separates buckets by semicolons and spaces. */
function textFor(ours: string, text: string): string {
  return ours === 'DEFAULT_BUCKETS' ? text.trim().replace(/[;\s]+/g, ',') : text
}

function takeAddresses(taken: Taken): void {
  taken.use('MINIO_ADDRESS', (address) => {
    const { host, port } = hostAndPort(address)
    taken.agree('MINIO_ADDRESS', 'PORT', String(port))
    if (host !== undefined) taken.agree('MINIO_ADDRESS', 'HOST', host)
  })
  taken.use('MINIO_CONSOLE_PORT_NUMBER', (port) => {
    taken.agree('MINIO_CONSOLE_PORT_NUMBER', 'DASHBOARD_ADDRESS', `:${port}`)
  })
}

/** MinIO's console takes the root user's password, who may do everything over S3 anyway. */
function takeDashboard(taken: Taken): void {
  const { SECRET_KEY, SECRET_KEY_FILE, MINIO_BROWSER } = taken.environment
  const isOn = !hasValue(MINIO_BROWSER) || taken.isOn('MINIO_BROWSER')
  const hasPassword = taken.has('DASHBOARD_PASSWORD')
  if (isOn && !hasPassword) {
    taken.set('DASHBOARD_PASSWORD', SECRET_KEY)
    taken.set('DASHBOARD_PASSWORD_FILE', SECRET_KEY_FILE)
  }
  if (isOn) return
  taken.set('DASHBOARD_ADDRESS', undefined)
  if (!hasPassword) return
  taken.mistakes.push('MINIO_BROWSER is not on, but DASHBOARD_PASSWORD is set: remove one of them')
}

const webhook = 'MINIO_NOTIFY_WEBHOOK'

/** The names of MinIO's variables about a webhook end in the name of the webhook, if it has one. */
function takeWebhook(taken: Taken): void {
  const enabled = Object.keys(taken.environment).filter((name) => {
    return name.startsWith(`${webhook}_ENABLE`) && taken.isOn(name)
  })
  const [first, ...others] = enabled
  if (first === undefined) return
  if (others.length > 0) {
    const names = enabled.sort().join(' and ')
    taken.mistakes.push(`${names} are on, but Bucketry has one webhook: turn the others off`)
    return
  }
  const suffix = first.slice(`${webhook}_ENABLE`.length)
  for (const [theirs, ours] of [
    [`${webhook}_ENDPOINT${suffix}`, 'NOTIFY_WEBHOOK'],
    [`${webhook}_AUTH_TOKEN${suffix}`, 'NOTIFY_WEBHOOK_TOKEN'],
  ] as const) {
    taken.use(theirs, (value) => taken.agree(theirs, ours, value))
  }
}
