import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type DataHome, dataFolders } from './folder-buckets.ts'

/** DATA_DIR of the unit in deploy/systemd. */
const serviceFolder = '/var/lib/bucketry'

/** Data of other installations on this machine. */
interface OtherInstallations {
  /** DATA_DIR of the service of systemd. */
  readonly service: string | undefined
  /** DATA_DIR of folders that were named on the command line. */
  readonly folders: readonly string[]
}

/** Looks where installations keep their data, if DATA_DIR does not say otherwise. */
export function otherInstallations(where: DataHome, service = serviceFolder): OtherInstallations {
  return { service: existsSync(service) ? service : undefined, folders: foldersIn(where) }
}

function foldersIn(where: DataHome): string[] {
  try {
    const folder = dataFolders(where)
    return readdirSync(folder)
      .sort()
      .map((name) => join(folder, name))
  } catch {
    // No folder was ever named, or the user has no home.
    return []
  }
}

/** What to do where something does not exist. */
export function nothingText({ service, folders }: OtherInstallations): string {
  const found = [
    ...(service === undefined
      ? []
      : [`  ${service}: run DATA_DIR=${service} bucketry check as the user of the service`]),
    ...folders.map((folder) => `  ${folder}: run bucketry check FOLDER with the folder it serves`),
  ]
  return [
    'Not all of this exists: no gateway has been started with these settings, or a disk is not mounted.',
    ...(found.length === 0 ? [] : ['This machine has data of other gateways:', ...found]),
    'To check settings before the first start, add --create.',
    '',
  ].join('\n')
}
