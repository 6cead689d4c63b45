import ipaddr from 'ipaddr.js'
import type { Environment, Settings } from './read-settings.ts'
import { type Setting, shown } from './setting.ts'
import { settingsTable } from './table.ts'

const minSecretKey = 16
const minPassword = 8

/** Names up to this length resemble others by chance, so they may differ in one letter, not two. */
const shortName = 6

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
    ...strangeNames(environment),
    ...unknownNames(kept),
  ]
}

function weakSecrets({ secretKey, dashboardPassword }: Settings): string[] {
  const warnings: string[] = []
  if (secretKey.length < minSecretKey) {
    warnings.push(`SECRET_KEY has fewer than ${minSecretKey} characters and can be guessed`)
  }
  if (dashboardPassword !== undefined && dashboardPassword.length < minPassword) {
    warnings.push(`DASHBOARD_PASSWORD has fewer than ${minPassword} characters and can be guessed`)
  }
  return warnings
}

function openAddress({ host, tlsCert, trustProxy }: Settings): string[] {
  if (isLoopback(host) || tlsCert !== undefined || trustProxy.length > 0) return []
  return [
    `HOST is ${shown(host)} without TLS: passwords and objects cross the network unencrypted. ` +
      'Set TLS_CERT and TLS_KEY, or use a TLS proxy and set TRUST_PROXY to its address',
  ]
}

function isLoopback(host: string): boolean {
  if (!ipaddr.isValid(host)) return host.toLowerCase() === 'localhost'
  return ipaddr.process(host).range() === 'loopback'
}

/** Variables of the runtime (OpenSSL's) whose names resemble a setting. */
const runtimeNames: ReadonlySet<string> = new Set(['SSL_CERT_FILE'])

/** Variables whose names resemble a setting. Other variables may belong to other programs. */
function strangeNames(environment: Environment): string[] {
  return Object.keys(environment).flatMap((name) => {
    const near = isKnown(name) || runtimeNames.has(name) ? undefined : nearestName(name)
    return near === undefined
      ? []
      : [`${name} is not a setting and has no effect. Did you mean ${near}?`]
  })
}

/** The settings file should contain only settings. */
function unknownNames(kept: Environment): string[] {
  return Object.keys(kept).flatMap((name) => {
    if (isKnown(name)) return []
    const near = nearestName(name)
    const hint = near === undefined ? '' : `. Did you mean ${near}?`
    return [`${name} in the generated settings file is not a setting and has no effect${hint}`]
  })
}

const names = Object.values<Setting<unknown>>(settingsTable).map(({ name }) => name)
const allNames: ReadonlySet<string> = new Set(names.flatMap((name) => [name, `${name}_FILE`]))

function isKnown(name: string): boolean {
  return allNames.has(name)
}

function nearestName(name: string): string | undefined {
  const upper = name.toUpperCase()
  return [...allNames].find((known) => {
    const most = known.length <= shortName ? 1 : 2
    return mayBeWithin(most, upper, known) && distanceOf(upper, known) <= most
  })
}

/** A quick check before distanceOf: no change adds more than one character that the other name lacks. */
function mayBeWithin(most: number, a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > most) return false
  const missing = [...new Set(a)].filter((character) => !b.includes(character))
  return missing.length <= most
}

/** The number of insertions, deletions, replacements and swaps of neighbors (optimal string alignment). */
function distanceOf(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, j) => j)]
  const at = (i: number, j: number) => rows[i]?.[j] ?? Number.POSITIVE_INFINITY
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    rows.push(row)
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1]
      const isSwapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      row.push(
        Math.min(
          at(i - 1, j) + 1,
          at(i, j - 1) + 1,
          at(i - 1, j - 1) + (isSame ? 0 : 1),
          isSwapped ? at(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      )
    }
  }
  return at(a.length, b.length)
}
