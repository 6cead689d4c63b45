import type { Settings } from './settings/read-settings.ts'
import { SettingsError } from './settings/setting.ts'

const listenFailures: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is in use by another program: set PORT to another port',
  EACCES: 'needs more privileges: set PORT to a port above 1023',
  EADDRNOTAVAIL: 'is not an address of this machine: check HOST',
  ENOTFOUND: 'is not a known host name: check HOST',
}

/** `bind` is the failure that the primary reports to a worker. */
const listenSyscalls: ReadonlySet<string> = new Set(['listen', 'bind', 'getaddrinfo'])

/** Why the program can't start, for the person who started it. */
export function failureText(error: unknown, settings?: Settings): string {
  if (error instanceof SettingsError) {
    return ['The settings are not valid:', ...error.mistakes.map((line) => `  ${line}`)].join('\n')
  }
  if (!(error instanceof Error)) return String(error)
  const { code, syscall } = error as NodeJS.ErrnoException
  const reason = listenSyscalls.has(syscall ?? '') ? listenFailures[code ?? ''] : undefined
  if (reason !== undefined && settings !== undefined) {
    return `${settings.host} port ${settings.port} ${reason}`
  }
  return error.message
}
