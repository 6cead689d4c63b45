import { SettingsError } from '../../platform/process/setting-mistake.ts'
import type { Settings } from '../settings/read-settings.ts'

const listenFailures: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is in use by another program: set NAME to another port',
  EACCES: 'needs more privileges: set NAME to a port above 1023',
  EADDRNOTAVAIL: 'is not an address of this machine: check HOST',
  ENOTFOUND: 'is not a known host name: check HOST',
}

/** `bind` is the system call in the failure that the primary reports to a worker. */
const listenSyscalls: ReadonlySet<string> = new Set(['listen', 'bind', 'getaddrinfo'])

/** Why the program can't start, for the person who started it. */
export function failureText(error: unknown, settings?: Settings): string {
  if (error instanceof SettingsError) {
    return ['The settings are not valid:', ...error.mistakes.map((line) => `  ${line}`)].join('\n')
  }
  if (!(error instanceof Error)) return String(error)
  const { code, syscall, port } = error as NodeJS.ErrnoException & { readonly port?: number }
  const reason = listenSyscalls.has(syscall ?? '') ? listenFailures[code ?? ''] : undefined
  if (reason !== undefined && settings !== undefined) {
    const isMetrics = port !== undefined && port === settings.metricsPort && port !== settings.port
    const name = isMetrics ? 'METRICS_PORT' : 'PORT'
    return `${settings.host} port ${isMetrics ? port : settings.port} ${reason.replace('NAME', name)}`
  }
  return error.message
}
