import { homedir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { readBoundedFile } from '../../../../platform/process/bounded-file.ts'
import { parsedJson } from '../../../../platform/text/json-text.ts'
import { ConnectError } from '../../command.ts'

/** The settings derived from an rclone remote, and notes for the user. */
export interface GoogleRemote {
  /** Undefined removes a setting: a drive has one kind of credentials. */
  readonly settings: Readonly<Record<string, string | undefined>>
  readonly notes: readonly string[]
}

interface Client {
  readonly id: string
  readonly secret: string
}

const tokenField = z.object({ refresh_token: z.string().min(1) })

/**
 * The settings in a remote of rclone's type `drive` (rclone.org/drive).
 *
 * @param client the client to use if the remote names none.
 * @throws ConnectError when the remote lacks a required value.
 */
export function googleRemote(
  name: string,
  remote: RcloneRemote,
  client: Client | undefined,
): GoogleRemote {
  if (remote.type !== 'drive') {
    throw new ConnectError(
      `The remote ${name} is of the type ${remote.type ?? 'none'}: expected drive. (If it wraps another remote, name that one; Bucketry does not decrypt files written by crypt.)`,
    )
  }
  return {
    settings: {
      ...credentialsIn(name, remote, client),
      ...(remote.team_drive ? { GDRIVE_SHARED_DRIVE: remote.team_drive } : {}),
      ...(remote.root_folder_id ? { DRIVE: `gdrive:${remote.root_folder_id}` } : {}),
    },
    notes: notesOn(remote),
  }
}

function credentialsIn(name: string, remote: RcloneRemote, client: Client | undefined) {
  const none = {
    GDRIVE_CLIENT_ID: undefined,
    GDRIVE_CLIENT_SECRET: undefined,
    GDRIVE_REFRESH_TOKEN: undefined,
    GDRIVE_SERVICE_ACCOUNT: undefined,
  }
  if (remote.service_account_file) {
    return { ...none, GDRIVE_SERVICE_ACCOUNT: remote.service_account_file }
  }
  if (remote.service_account_credentials) {
    throw new ConnectError(
      `The remote ${name} has its service account inline: write the JSON of service_account_credentials to a file and set GDRIVE_SERVICE_ACCOUNT to its path.`,
    )
  }
  const token = tokenField.safeParse(parsedJson(remote.token ?? '')).data?.refresh_token
  if (token === undefined) {
    throw new ConnectError(
      `The remote ${name} has no refresh token: run \`rclone config reconnect ${name}:\` first.`,
    )
  }
  const { id, secret } = clientOf(name, remote, client)
  return {
    ...none,
    GDRIVE_CLIENT_ID: id,
    GDRIVE_CLIENT_SECRET: secret,
    GDRIVE_REFRESH_TOKEN: token,
  }
}

/** A refresh token works only with the client that requested it. */
function clientOf(name: string, remote: RcloneRemote, client: Client | undefined): Client {
  const { client_id: id, client_secret: secret } = remote
  if (id && secret) return { id, secret }
  if (id) throw new ConnectError(`The remote ${name} has a client_id but no client_secret.`)
  if (client !== undefined) return client
  throw new ConnectError(
    `The remote ${name} has no client_id: its token was issued to rclone's built-in client. Such a token works only with that client's secret, and all its users share one quota. Create your own client (docs/google-drive.md, five minutes) and run \`bucketry connect google\`; or configure it in rclone, run \`rclone config reconnect ${name}:\`, then run this command again.`,
  )
}

function notesOn({ scope = 'drive', impersonate }: RcloneRemote): readonly string[] {
  return [
    ...(scope.split(/[\s,]+/).includes('drive')
      ? []
      : [
          `Its scope is ${scope}: ${scope.includes('readonly') ? 'writes are not allowed' : 'only files that rclone created with this client are visible'}. \`bucketry connect google\` requests the scope drive.`,
        ]),
    ...(impersonate ? [`It impersonates ${impersonate}: set GDRIVE_SUBJECT=${impersonate}.`] : []),
  ]
}

export type RcloneRemote = Readonly<Record<string, string>>

/** Where rclone looks for its configuration (rclone.org/docs, "--config"); it uses the first file that exists. */
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
 * @param path the configuration file. Default: the one that rclone uses.
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

/** Parses sections of `name = value` lines, split at the first `=`: values may contain more of them. */
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
