import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { DashboardPassword } from '../../dashboard/login/login-api.ts'
import { ApiError } from '../../platform/json-api/api-error.ts'
import { parseEnvFile, settingsFileName } from '../settings/env-file.ts'
import type { Settings } from '../settings/read-settings.ts'
import { SettingsFileError, writeSettingsFile } from '../settings/settings-file.ts'

const name = 'DASHBOARD_PASSWORD'

type PasswordSettings = Pick<Settings, 'dashboardPassword' | 'dataDir' | 'fromFile'>

/**
 * The password of the dashboard. One in bucketry.env can be changed while the gateway runs, and every process reads it
 * again; one in the environment stays as it is.
 */
export function openPassword(settings: PasswordSettings): DashboardPassword {
  const { dashboardPassword, dataDir, fromFile = [] } = settings
  if (dashboardPassword === undefined || !fromFile.includes(name)) {
    return { current: () => dashboardPassword, change: undefined }
  }
  return new PasswordInFile(join(dataDir, settingsFileName), dashboardPassword)
}

class PasswordInFile implements DashboardPassword {
  readonly #path: string
  #password: string
  /** Identifies the content of the file that was read last. */
  #version = ''

  constructor(path: string, password: string) {
    this.#path = path
    this.#password = password
  }

  /** Looks at the file each time: the next request after a change may reach another process. */
  readonly current = (): string => {
    this.#read()
    return this.#password
  }

  readonly change = async (password: string): Promise<void> => {
    try {
      await writeSettingsFile(this.#path, { [name]: password })
    } catch (cause) {
      if (!(cause instanceof SettingsFileError)) throw cause
      throw new ApiError(409, `${cause.message}. Change ${name} in it yourself.`, { cause })
    }
    this.#password = password
  }

  /** A file that cannot be read, or has no password meanwhile, changes nothing. */
  #read(): void {
    try {
      const { mtimeMs, ino, size } = statSync(this.#path)
      const version = `${mtimeMs} ${ino} ${size}`
      if (version === this.#version) return
      const password = parseEnvFile(readFileSync(this.#path, 'utf8'))[name] ?? ''
      if (password !== '') this.#password = password
      this.#version = version
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === undefined) throw error
    }
  }
}
