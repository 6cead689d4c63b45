import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { defaultText, hasValue } from '../../settings/setting.ts'
import { settingsTable } from '../../settings/tables/settings-table.ts'
import { type CommandCall, UsageError } from '../command.ts'

/** The folder of MinIO's own files, inside its data folder. */
const minioFolder = '.minio.sys'

/**
 * Translates a call of `server`, with MinIO's arguments, to one of `serve`.
 *
 * @throws UsageError when the folder contains MinIO's data, or the address is not valid.
 */
export function asServer(call: CommandCall): CommandCall {
  const { environment, operands, options, warnings = [] } = call
  const [folder] = operands
  const noEffect =
    options['console-address'] === undefined
      ? []
      : [
          '--console-address has no effect: the dashboard is at the address of S3, with the path /-/',
        ]
  return {
    ...call,
    environment: {
      ...environment,
      ...(folder !== undefined && locations(folder, environment)),
      ...addressOf(options.address),
    },
    warnings: [...warnings, ...noEffect],
  }
}

/** DATA_DIR and, unless it is set to another drive than the default, DRIVE. */
function locations(folder: string, { DATA_DIR, DRIVE }: CommandCall['environment']) {
  if (/\{\d+\.{3}\d+\}/.test(folder)) {
    throw new UsageError('FOLDER stands for several folders: Bucketry keeps its data in one.')
  }
  if (existsSync(join(folder, minioFolder))) {
    throw new UsageError(
      `${folder} contains data of MinIO, in a format that only MinIO reads. Serve another folder, and copy with ` +
        'mc mirror while MinIO runs (docs/moving-in.md, "From MinIO").',
    )
  }
  const defaultDrive = (dataDir: string) =>
    defaultText(settingsTable.drive, { dataDir, compatibility: 'aws' })
  // The container image sets both.
  const isDefault = !hasValue(DRIVE) || (hasValue(DATA_DIR) && DRIVE === defaultDrive(DATA_DIR))
  return {
    ...{ DATA_DIR: folder, DATA_DIR_FILE: undefined },
    ...(isDefault && { DRIVE: defaultDrive(folder) }),
  }
}

function addressOf(address: CommandCall['options'][string]) {
  if (address === undefined) return {}
  const [, host, port] = /^(.*):(\d+)$/.exec(String(address)) ?? []
  if (port === undefined) {
    throw new UsageError(`--address is ${JSON.stringify(address)}: expected [HOST]:PORT.`)
  }
  return { PORT: port, ...(host !== '' && { HOST: host?.replace(/^\[(.*)\]$/, '$1') }) }
}
