import { readFileSync } from 'node:fs'
import { get as getHttp, type RequestOptions } from 'node:http'
import { get as getHttps } from 'node:https'
import { settingsTable } from '../../settings/tables/settings-table.ts'
import type { CommandCall } from '../command.ts'

const timeoutMs = 5_000

/** Where a server is reached that listens on all interfaces. */
const loopback: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

/**
 * The port in the arguments of a server: a health check of a container has its environment, but not its arguments.
 *
 * @param commandLine of process 1 (proc_pid_cmdline(5)), which may be a shell
 */
export function portOfServer(commandLine: string): string | undefined {
  if (!/(?:bucketry|minio)[\0\s]/.test(commandLine)) return undefined
  const words = commandLine.replaceAll('"', '').split(/[=\0\s]/)
  const option = words.findIndex((word) => word === '--address' || word === '--port')
  const address = option === -1 ? undefined : words.slice(option + 1).find((word) => word !== '')
  const port = address?.split(':').at(-1) ?? ''
  return /^\d+$/.test(port) ? port : undefined
}

/**
 * Asks the gateway of HOST and PORT whether it serves. Reads no other settings, so that it also works for every user and
 * without the folder of the gateway.
 *
 * @returns the exit status
 */
export async function healthCommand({ environment }: Pick<CommandCall, 'environment'>) {
  const { host, port } = settingsTable
  const name = host.parse(environment.HOST || host.default)
  const given = portOfServer(firstCommandLine()) ?? environment.PORT
  const target = {
    host: loopback[name] ?? name,
    port: port.parse(given || port.default),
  }
  const problem = await problemAt(target).catch((error: Error) => error.message)
  if (problem === undefined) return 0
  process.stderr.write(`${problem}\n`)
  return 1
}

function firstCommandLine(): string {
  try {
    return readFileSync('/proc/1/cmdline', 'utf8')
  } catch {
    return ''
  }
}

async function problemAt(target: RequestOptions): Promise<string | undefined> {
  // A port serves either HTTP or HTTPS, and answers HTTP on an HTTPS port with 400.
  const first = await statusOf(getHttp, target)
  const status = first === 400 ? await statusOf(getHttps, target) : first
  return status === 200 ? undefined : `/-/livez returned ${status}`
}

/** The certificate is for another name than this address. */
function statusOf(get: typeof getHttps, target: RequestOptions): Promise<number | undefined> {
  const options = { ...target, path: '/-/livez', timeout: timeoutMs, rejectUnauthorized: false }
  return new Promise((resolve, reject) => {
    const request = get(options, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    request.on('timeout', () => request.destroy(new Error(`no reply in ${timeoutMs} ms`)))
    request.on('error', reject)
  })
}
