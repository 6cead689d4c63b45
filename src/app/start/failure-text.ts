import { SettingsError } from '../../platform/process/setting-mistake.ts'
import { hostAndPort } from '../settings/parse-names.ts'
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
    const { name, ...where } = addressOf(port, settings)
    return `${where.host} port ${where.port} ${reason.replace('NAME', name)}`
  }
  return error.message
}

/** The setting with the port that could not be listened on. */
function addressOf(
  failed: number | undefined,
  { host, port, metricsPort, dashboardAddress }: Settings,
) {
  const dashboard = dashboardAddress === undefined ? undefined : hostAndPort(dashboardAddress)
  if (failed !== undefined && failed !== port) {
    if (failed === dashboard?.port) return { host, ...dashboard, name: 'DASHBOARD_ADDRESS' }
    if (failed === metricsPort) return { host, port: metricsPort, name: 'METRICS_PORT' }
  }
  return { host, port, name: 'PORT' }
}
