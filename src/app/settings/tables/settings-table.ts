import type { Setting } from '../setting.ts'
import { dashboardSettings } from './dashboard-settings.ts'
import { modelSettings } from './model-settings.ts'
import { notifySettings } from './notify-settings.ts'
import { s3Settings } from './s3-settings.ts'
import { serverSettings } from './server-settings.ts'
import { storageSettings } from './storage-settings.ts'
import { telemetrySettings } from './telemetry-settings.ts'

/** The settings by topic, as the dashboard names them. */
export const settingTopics = {
  'S3 and access': s3Settings,
  Storage: storageSettings,
  Server: serverSettings,
  'Logs and metrics': telemetrySettings,
  'Event notifications': notifySettings,
  Dashboard: dashboardSettings,
  Models: modelSettings,
}

/**
 * All settings: a file of rows for each topic. `npm run docs` writes them, in this order, into docs/configuration.md and
 * .env.example. docs/configuration.md says how values are given: environment, NAME_FILE, comma-separated lists.
 */
export const settingsTable = {
  ...s3Settings,
  ...storageSettings,
  ...serverSettings,
  ...telemetrySettings,
  ...notifySettings,
  ...dashboardSettings,
  ...modelSettings,
} as const satisfies Record<string, Setting<unknown>>

type Table = typeof settingsTable

/** Values of all settings, by their names in the program. Frozen, and plain enough to be sent. */
export type SettingValues = {
  readonly [Name in keyof Table]:
    | ReturnType<Table[Name]['parse']>
    | (Table[Name] extends { readonly default: string } ? never : undefined)
}

type OfEachDrive = {
  [Name in keyof Table]: Table[Name] extends { readonly isOfEachDrive: true } ? Name : never
}[keyof Table]

/** The settings that each drive has: for the drive ARCHIVE, with `_ARCHIVE` after their names. */
export const settingsOfDrives = (Object.keys(settingsTable) as (keyof Table)[]).filter(
  (key): key is OfEachDrive => 'isOfEachDrive' in settingsTable[key],
)

export type DriveValues = Pick<SettingValues, OfEachDrive>
