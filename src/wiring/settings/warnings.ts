import ipaddr from 'ipaddr.js'
import type { Environment, Settings } from './read-settings.ts'
import { type Setting, shown } from './setting.ts'
import { settingsTable } from './table.ts'

const minSecretKey = 16
const minPassword = 8

/** Names of this length or less are too near to others by chance: one wrong letter counts, not two. */
const shortName = 6

export interface WarningFacts {
  readonly settings: Settings
  /** The process's own environment. */
  readonly environment: Environment
  /** What the file of the first start says, where there is one. */
  readonly kept: Environment
}

/** What is allowed, but likely not what the person wants. No secret is shown. */
export function settingsWarnings({ settings, environment, kept }: WarningFacts): string[] {
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
      'Set TLS_CERT and TLS_KEY, or put a proxy with TLS in front and set TRUST_PROXY to its address',
  ]
}

function isLoopback(host: string): boolean {
  if (!ipaddr.isValid(host)) return host.toLowerCase() === 'localhost'
  return ipaddr.process(host).range() === 'loopback'
}

/** Variables that are almost a setting. Others may be anybody's. */
function strangeNames(environment: Environment): string[] {
  return Object.keys(environment).flatMap((name) => {
    const near = isKnown(name) ? undefined : nearestName(name)
    return near === undefined
      ? []
      : [`${name} is not a setting and has no effect: is ${near} meant?`]
  })
}

/** In a file of settings every name is meant to be one. */
function unknownNames(kept: Environment): string[] {
  return Object.keys(kept).flatMap((name) => {
    if (isKnown(name)) return []
    const near = nearestName(name)
    const hint = near === undefined ? '' : `: is ${near} meant?`
    return [`${name} in the file of the first start is not a setting and has no effect${hint}`]
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
    return distanceOf(upper, known) <= (known.length <= shortName ? 1 : 2)
  })
}

/** How many letters must be added, left out, replaced or swapped with the next (optimal string alignment). */
function distanceOf(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 2) return Number.POSITIVE_INFINITY
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
