import ipaddr from 'ipaddr.js'
import { didYouMean } from './nearest-name.ts'
import { isOfNamedDrive } from './own-drives.ts'
import type { Settings } from './read-settings.ts'
import { type Environment, type Setting, shown } from './setting.ts'
import { settingsTable } from './tables/settings-table.ts'

const minSecretKey = 16
const minPassword = 8
const minMetricsToken = 16

export interface SettingsWarningInputs {
  readonly settings: Settings
  /** The process's own environment. */
  readonly environment: Environment
  /** The contents of the generated settings file, if there is one. */
  readonly kept: Environment
}

/** Settings that are allowed but probably not intended. Shows no secret. */
export function settingsWarnings({ settings, environment, kept }: SettingsWarningInputs): string[] {
  return [
    ...weakSecrets(settings),
    ...openAddress(settings),
    ...openMetrics(settings),
    ...openEvents(settings),
    ...expiryDates(settings),
    ...strangeNames(environment),
    ...unknownNames(kept),
  ]
}

function weakSecrets(settings: Settings): string[] {
  const secrets: readonly (readonly [name: string, secret: string | undefined, min: number])[] = [
    ['METRICS_TOKEN', settings.metricsToken, minMetricsToken],
    ['SECRET_KEY', settings.secretKey, minSecretKey],
    ...settings.accessKeys.map(
      ({ accessKeyId, secretKey }) =>
        [`ACCESS_KEYS: the secret of ${accessKeyId}`, secretKey, minSecretKey] as const,
    ),
    ['DASHBOARD_PASSWORD', settings.dashboardPassword, minPassword],
    ['NOTIFY_WEBHOOK_SECRET', settings.notifyWebhookSecret, minSecretKey],
  ]
  return secrets.flatMap(([name, secret, min]) =>
    secret === undefined || secret.length >= min
      ? []
      : [`${name} has fewer than ${min} characters and can be guessed`],
  )
}

function openAddress({ host, tlsCert, trustProxy }: Settings): string[] {
  if (isLoopback(host) || tlsCert !== undefined || trustProxy.length > 0) return []
  return [
    `HOST is ${shown(host)} without TLS: passwords and objects cross the network unencrypted. ` +
      'Set TLS_CERT and TLS_KEY, or use a TLS proxy and set TRUST_PROXY to its address',
  ]
}

function openMetrics({ host, metricsPort, metricsToken }: Settings): string[] {
  if (metricsPort === undefined || metricsToken !== undefined || isLoopback(host)) return []
  return [
    `METRICS_PORT is open to every machine that reaches HOST ${shown(host)}: set METRICS_TOKEN, or block the port in the firewall`,
  ]
}

function openEvents({ notifyWebhook, notifyRedis }: Settings): string[] {
  const targets = { NOTIFY_WEBHOOK: notifyWebhook, NOTIFY_REDIS: notifyRedis }
  return Object.entries(targets).flatMap(([name, address]) => {
    if (address === undefined) return []
    const { protocol, hostname } = new URL(address)
    // An address of IPv6 has brackets.
    if (!/^(http|redis):$/.test(protocol) || isLoopback(hostname.replace(/^\[|\]$/g, ''))) return []
    return [
      `${name} begins with ${protocol} and names another machine: names of objects and passwords cross the network unencrypted. Use ${protocol.slice(0, -1)}s:`,
    ]
  })
}

function expiryDates({ accessKeys }: Settings): string[] {
  return accessKeys.flatMap(({ accessKeyId, expiryDate }) =>
    expiryDate === undefined
      ? []
      : [
          `ACCESS_KEYS has the key ${accessKeyId} with expiresAt ${expiryDate}: it expires at the beginning of that day, ${expiryDate}T00:00:00Z. Write the time that you want`,
        ],
  )
}

function isLoopback(host: string): boolean {
  if (!ipaddr.isValid(host)) return host.toLowerCase() === 'localhost'
  return ipaddr.process(host).range() === 'loopback'
}

/** Variables of the runtime (OpenSSL's) whose names resemble a setting. */
const runtimeNames: ReadonlySet<string> = new Set(['SSL_CERT_FILE'])

/** Variables whose names resemble a setting. Other variables may belong to other programs. */
function strangeNames(environment: Environment): string[] {
  return Object.entries(environment).flatMap(([name, value]) => {
    if (isKnown(name, value) || runtimeNames.has(name)) return []
    const hint = didYouMean(name.toUpperCase(), allNames)
    return hint === '' ? [] : [`${name} is not a setting and has no effect${hint}`]
  })
}

/** The settings file should contain only settings. */
function unknownNames(kept: Environment): string[] {
  return Object.entries(kept).flatMap(([name, value]) => {
    if (name === settingsTable.dataDir.name) {
      return [`${name} in the generated settings file has no effect: the file is in that folder`]
    }
    if (isKnown(name, value)) return []
    const hint = didYouMean(name.toUpperCase(), allNames)
    return [`${name} in the generated settings file is not a setting and has no effect${hint}`]
  })
}

const names = Object.values<Setting<unknown>>(settingsTable).map(({ name }) => name)
const allNames: ReadonlySet<string> = new Set(names.flatMap((name) => [name, `${name}_FILE`]))

function isKnown(name: string, value: string | undefined): boolean {
  return allNames.has(name) || isOfNamedDrive(name, value)
}
