import type { Environment } from '../settings/environment.ts'
import type { Setting } from '../settings/setting.ts'
import { settingsTable } from '../settings/tables/settings-table.ts'

/** A setting as a flag of the command line. */
interface SettingFlag {
  /** Without the dashes: `port` for PORT. */
  readonly flag: string
  readonly setting: Setting<unknown>
}

export const settingFlags: readonly SettingFlag[] = Object.values<Setting<unknown>>(
  settingsTable,
).map((setting) => ({ flag: flagOf(setting.name), setting }))

/** `--allowed-buckets` is ALLOWED_BUCKETS, `--secret-key-file` is SECRET_KEY_FILE. */
function flagOf(name: string): string {
  return name.toLowerCase().replaceAll('_', '-')
}

/** The flags of settings, as node:util's parseArgs takes them. */
export const settingOptions: Readonly<Record<string, { readonly type: 'string' }>> =
  Object.fromEntries(
    settingFlags.flatMap(({ flag }) => [
      [flag, { type: 'string' }],
      [`${flag}-file`, { type: 'string' }],
    ]),
  )

/** The variables that the flags stand for. */
export function environmentOf(values: Readonly<Record<string, unknown>>): Environment {
  return Object.fromEntries(
    Object.entries(values)
      .filter(([flag]) => flag in settingOptions)
      .map(([flag, value]) => [flag.toUpperCase().replaceAll('-', '_'), String(value)]),
  )
}

/**
 * The environment with the flags, which take precedence. A flag replaces both forms of its setting:
 * NAME and NAME_FILE.
 */
export function withFlags(environment: Environment, flags: Environment): Environment {
  const joined: Record<string, string | undefined> = { ...environment }
  for (const { setting } of settingFlags) {
    const forms = [setting.name, `${setting.name}_FILE`]
    if (forms.every((form) => flags[form] === undefined)) continue
    for (const form of forms) joined[form] = flags[form]
  }
  return joined
}
