import { hostname } from 'node:os'
import { isDeepStrictEqual } from 'node:util'
import type { StatusReply } from '../../dashboard/management/management-schemas.ts'
import type { SettingsReply } from '../../dashboard/management/settings-route.ts'
import { type AnyOwnDrive, kindOf } from './drive-kinds.ts'
import { type DriveSettings, nameOfDrive } from './own-drives.ts'
import { defaultBucketText, placeText } from './parse-names.ts'
import type { Settings } from './read-settings.ts'
import { type DefaultSource, defaultText, type Setting } from './setting.ts'
import { notifiedText } from './tables/notify-settings.ts'
import { settingsOfDrives, settingsTable, settingTopics } from './tables/settings-table.ts'

/** The settings in the order of docs/configuration.md, without any secret. */
export function shownSettings(settings: Settings): StatusReply['settings'] {
  const allowedBuckets = settings.bucketPlaces.map(placeText)
  // The setting is a text, of which Settings has the keys.
  const accessKeys = settings.accessKeys.length > 0 ? settings.accessKeys : undefined
  const notifyObjects = settings.notifyObjects.map(notifiedText)
  const values: Readonly<Record<string, unknown>> = { ...settings, allowedBuckets, accessKeys }
  // Compared with its default as objects, and shown as a text.
  const defaultBuckets = settings.defaultBuckets.map(defaultBucketText)
  const texts: Readonly<Record<string, unknown>> = { notifyObjects, defaultBuckets }
  const shown = Object.entries<Setting<unknown>>(settingsTable).map(([key, setting]) => {
    const { name } = setting
    const value = values[key]
    const isSecret = setting.isSecret === true
    const isSet = value !== undefined && !isDeepStrictEqual(value, defaultOf(setting, settings))
    const source = sourceOf(name, isSet, settings)
    const text = isSecret ? null : textOf(texts[key] ?? value)
    return { name, value: text, isSecret, isSet, source }
  })
  return [...shown, ...settings.drives.slice(1).flatMap(shownDriveSettings)]
}

/** What each setting means, by topic. */
export const settingGroups: SettingsReply['groups'] = Object.entries(settingTopics).map(
  ([name, settings]) => ({
    name,
    settings: Object.values<Setting<unknown>>(settings).map(({ name, meaning }) => ({
      name,
      meaning,
    })),
  }),
)

function sourceOf(
  name: string,
  isSet: boolean,
  { fromFile = [] }: Pick<Settings, 'fromFile'>,
): StatusReply['settings'][number]['source'] {
  if (fromFile.includes(name)) return 'file'
  return isSet ? 'environment' : 'default'
}

/** The settings that a named drive has for itself. */
function shownDriveSettings(drive: DriveSettings): StatusReply['settings'] {
  return settingsOfDrives.flatMap((key) => {
    const value = drive[key]
    if (value === undefined) return []
    const isSecret = 'isSecret' in settingsTable[key]
    const name = nameOfDrive(key, drive.name)
    const source = 'environment' as const
    return [{ name, value: isSecret ? null : textOf(value), isSecret, isSet: true, source }]
  })
}

/** DATABASE_URL without user and password; for a file, with the name of this machine. */
export function shownDatabase({ database }: Pick<Settings, 'database'>): string {
  return database.kind === 'sqlite'
    ? `sqlite:${database.path} on ${hostname()}`
    : locationText(database)
}

/** DRIVE without user and password; for Google Drive, with the shared drive. */
export function shownDrive(own: AnyOwnDrive): string {
  return kindOf(own.drive).shown?.(own) ?? locationText(own.drive)
}

function defaultOf(setting: Setting<unknown>, source: DefaultSource): unknown {
  const text = defaultText(setting, source)
  return text === undefined ? undefined : setting.parse(text)
}

function textOf(value: unknown): string | null {
  if (value === undefined || value === null) return null
  if (Array.isArray(value)) return value.length === 0 ? null : value.join(', ')
  if (typeof value === 'object') return locationText(value)
  const text = String(value)
  return text.includes('-----BEGIN ') ? 'PEM' : withoutUser(text)
}

/**
 * The location of a drive or database, without passwords. An unknown kind shows only its name, so that
 * a new one cannot reveal more than it should.
 */
function locationText(location: object): string {
  const { kind, path, url } = location as Readonly<Record<string, unknown>>
  if (typeof path === 'string') return `${String(kind)}:${path}`
  if (typeof url === 'string') return withoutUser(url)
  return String(kind)
}

/** A URL without user, password, query and fragment; other text unchanged. */
function withoutUser(text: string): string {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return text
  if (!URL.canParse(text)) return text.replace(/:.*$/s, '')
  const { protocol, host, pathname } = new URL(text)
  return `${protocol}//${host}${pathname === '/' ? '' : pathname}`
}
