import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { SettingMistake } from '../../../platform/process/setting-mistake.ts'
import { folderSettings } from '../../settings/minio-folder.ts'
import { hostAndPort, listenAddress } from '../../settings/parse-names.ts'
import { type CommandCall, UsageError } from '../command.ts'

/** Options of MinIO that change its output or its look. */
const idleOptions = ['quiet', 'anonymous', 'json'] as const

/**
 * Translates a call of `server`, with MinIO's arguments, to one of `serve`.
 *
 * @throws UsageError when the folder contains MinIO's data, or the address is not valid.
 */
export function asServer(call: CommandCall): CommandCall {
  const { operands, options, warnings = [] } = call
  const idle = idleOptions.filter((name) => options[name] === true).map((name) => `--${name}`)
  return {
    ...call,
    environment: {
      ...call.environment,
      ...checked('FOLDER', operands.length === 0 ? undefined : operands.join(' '), () =>
        folderSettings(operands, call.environment),
      ),
      ...checked('--address', options.address, (address) => {
        const { host, port } = hostAndPort(address)
        return { PORT: String(port), ...(host !== undefined && { HOST: host }) }
      }),
      ...checked('--console-address', options['console-address'], (address) => ({
        DASHBOARD_ADDRESS: listenAddress(address),
      })),
      ...checked('--certs-dir', options['certs-dir'], certificatesIn),
    },
    warnings: [...warnings, ...(idle.length === 0 ? [] : [`${idle.join(', ')}: no effect here`])],
  }
}

/** Without a certificate, MinIO serves plain HTTP. */
function certificatesIn(folder: string): CommandCall['environment'] {
  const [TLS_CERT, TLS_KEY] = [join(folder, 'public.crt'), join(folder, 'private.key')]
  return existsSync(TLS_CERT) || existsSync(TLS_KEY) ? { TLS_CERT, TLS_KEY } : {}
}

/** @throws UsageError in which the argument has a name */
function checked<Result>(
  name: string,
  value: CommandCall['options'][string],
  read: (value: string) => Result,
): Result | undefined {
  if (value === undefined) return undefined
  try {
    return read(String(value))
  } catch (error) {
    if (!(error instanceof SettingMistake)) throw error
    throw new UsageError(`${name} is ${JSON.stringify(value)}: ${error.message}.`)
  }
}
