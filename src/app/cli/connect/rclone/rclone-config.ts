import { homedir } from 'node:os'
import { join } from 'node:path'
import { readBoundedFile } from '../../../../platform/process/bounded-file.ts'
import { ConnectError } from '../connect-error.ts'

export type RcloneRemote = Readonly<Record<string, string>>

/** Where rclone keeps its configuration (rclone.org/docs, "--config"), the first that exists. */
function usualPlaces(environment: Readonly<Record<string, string | undefined>>): readonly string[] {
  const given = environment.RCLONE_CONFIG
  const home = environment.XDG_CONFIG_HOME
  return [
    ...(given ? [given] : []),
    ...(home ? [join(home, 'rclone', 'rclone.conf')] : []),
    join(homedir(), '.config', 'rclone', 'rclone.conf'),
    join(homedir(), '.rclone.conf'),
  ]
}

/**
 * One remote of rclone's configuration.
 *
 * @param path undefined: where rclone keeps it.
 * @throws ConnectError when there is no such remote, or the file can't be read.
 */
export async function readRcloneRemote(
  name: string,
  path: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<RcloneRemote> {
  const places = path === undefined ? usualPlaces(environment) : [path]
  for (const place of places) {
    const text = await textOf(place)
    if (text !== undefined) return remoteIn(text, name, place)
  }
  throw new ConnectError(
    `rclone's configuration was not found at ${places.join(' or ')}: name it with --config PATH (\`rclone config file\` prints its path).`,
  )
}

async function textOf(place: string): Promise<string | undefined> {
  try {
    return readBoundedFile(place).toString()
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    throw new ConnectError(`${place} can't be read (${code}).`, { cause })
  }
}

function remoteIn(text: string, name: string, place: string): RcloneRemote {
  if (/^RCLONE_ENCRYPT_V\d+:/m.test(text)) {
    throw new ConnectError(
      `${place} is encrypted: run \`rclone config show ${name} > FILE\`, then this command again with --config FILE, and delete FILE.`,
    )
  }
  const remotes = parseRcloneConfig(text)
  const remote = remotes.get(name)
  if (remote !== undefined) return remote
  const known = [...remotes.keys()].join(', ') || 'none'
  throw new ConnectError(`${place} has no remote ${name}. It has: ${known}.`)
}

/** Sections of `name = value` lines; the first `=` counts, so that values may have others. */
export function parseRcloneConfig(text: string): ReadonlyMap<string, RcloneRemote> {
  const remotes = new Map<string, Record<string, string>>()
  let current: Record<string, string> | undefined
  for (const line of text.split(/\r?\n/).map((raw) => raw.trim())) {
    const [, section] = /^\[(.+)\]$/.exec(line) ?? []
    if (section !== undefined) {
      current = {}
      remotes.set(section, current)
      continue
    }
    const [, field, value] = /^([^#;=\s][^=]*)=(.*)$/.exec(line) ?? []
    if (current !== undefined && field !== undefined && value !== undefined) {
      current[field.trimEnd()] = value.trimStart()
    }
  }
  return remotes
}
