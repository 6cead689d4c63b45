import { openDatabase } from '../../../platform/state/open-database.ts'
import { createSealer } from '../../../platform/state/sealer.ts'
import type { AccessKey } from '../../../storage/access/access-key.ts'
import { AccessKeyTable } from '../../../storage/access/access-key-table.ts'
import { unknownBuckets } from '../../../storage/access/authorize.ts'
import { KeyAdmin, type KeyWithSecret, type ListedKey } from '../../../storage/access/key-admin.ts'
import { isBucketName } from '../../settings/parse-names.ts'
import { readSettings } from '../../settings/read-settings.ts'
import type { Environment } from '../../settings/setting.ts'
import { bucketNames } from '../../start/cached-state.ts'
import { settingsOfGateway, withBuckets } from '../../start/first-start.ts'
import { type CommandCall, UsageError } from '../command.ts'
import { durationOf, grantOf, grantText, limitOf, momentNote, momentOf } from '../key-options.ts'
import { requireExistingDatabase } from './stored-state.ts'

/** How long the old secret stays valid after a rotation without `--keep-old`. */
const defaultKeepOld = '24h'

type Flags = CommandCall['options']
type BucketNames = () => Promise<ReadonlySet<string>>

interface Action {
  /** Whether the action needs the ID or name of a key. */
  readonly takesKey: boolean
  run(admin: KeyAdmin, flags: Flags, key: string, bucketNames: BucketNames): Promise<string>
}

const actions: Readonly<Record<string, Action>> = {
  list: {
    takesKey: false,
    run: async (admin, flags) => listText(await admin.list(), flags.json === true),
  },
  create: {
    takesKey: true,
    async run(admin, flags, name, bucketNames) {
      const { grants, ...change } = changeOf(flags)
      if (grants === undefined)
        throw new UsageError('--grant is missing: the key could do nothing.')
      const made = await admin.create({ name, grants, ...change })
      return secretText(made, flags, await notesOf(made.key, flags, bucketNames))
    },
  },
  change: {
    takesKey: true,
    async run(admin, flags, name, bucketNames) {
      const key = await admin.change(await idOf(admin, name), changeOf(flags))
      return keyText(key, flags, await notesOf(key, flags, bucketNames))
    },
  },
  disable: {
    takesKey: true,
    run: async (admin, flags, key) =>
      keyText(await admin.change(await idOf(admin, key), { isDisabled: true }), flags),
  },
  enable: {
    takesKey: true,
    run: async (admin, flags, key) =>
      keyText(await admin.change(await idOf(admin, key), { isDisabled: false }), flags),
  },
  rotate: {
    takesKey: true,
    async run(admin, flags, key) {
      const seconds = durationOf('keep-old', textOf(flags['keep-old']) ?? defaultKeepOld)
      return secretText(await admin.rotate(await idOf(admin, key), seconds), flags)
    },
  },
  revoke: {
    takesKey: true,
    async run(admin, flags, key) {
      const accessKeyId = await idOf(admin, key)
      await admin.revoke(accessKeyId)
      return flags.json === true ? json({ revoked: accessKeyId }) : `Revoked ${accessKeyId}.\n`
    },
  },
}

/** Manages the access keys in the database of the settings. A running gateway applies changes within a second. */
export async function keysCommand(call: CommandCall): Promise<number> {
  const [name = '', key] = call.operands
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined
  if (action === undefined) {
    const known = Object.keys(actions).join(', ')
    throw new UsageError(`${JSON.stringify(name)} is not one of ${known}.`)
  }
  if (action.takesKey !== (key !== undefined)) {
    throw new UsageError(`usage: bucketry keys ${name}${action.takesKey ? ' KEY' : ''}`)
  }
  const text = await withKeyAdmin(call, (admin, bucketNames) =>
    action.run(admin, call.options, key ?? '', bucketNames),
  )
  process.stdout.write(text)
  return 0
}

/** An access key ID, or the name of one key. */
async function idOf(admin: KeyAdmin, key: string): Promise<string> {
  const all = (await admin.list()).map((listed) => listed.key)
  const found = all.filter(({ accessKeyId, name }) => accessKeyId === key || name === key)
  const [first, second] = found
  if (first === undefined) throw new UsageError(`There is no access key ${JSON.stringify(key)}.`)
  if (second === undefined) return first.accessKeyId
  const ids = found.map(({ accessKeyId }) => accessKeyId).join(', ')
  throw new UsageError(`Several access keys are named ${JSON.stringify(key)}: use one of ${ids}.`)
}

function changeOf(flags: Flags) {
  const [note, name, expires] = [textOf(flags.note), textOf(flags.name), textOf(flags.expires)]
  const rate = textOf(flags['requests-per-second'])
  const { grant } = flags
  return {
    ...(name !== undefined && { name }),
    ...(note !== undefined && { note }),
    ...(Array.isArray(grant) && { grants: grant.map(grantOf) }),
    ...(expires !== undefined && { expiresAtMs: momentOf('expires', expires) }),
    ...(rate !== undefined && {
      limits: { requestsPerSecond: limitOf('requests-per-second', rate) },
    }),
  }
}

function textOf(value: Flags[string]): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function json(value: object): string {
  return `${JSON.stringify(value)}\n`
}

function secretText(
  { key, secretKey }: KeyWithSecret,
  flags: Flags,
  notes: readonly string[] = [],
): string {
  if (flags.json === true) return json({ ...jsonOf(key), secretKey, notes })
  return `${keyText(key, flags, notes)}The secret is not shown again:\n  AWS_ACCESS_KEY_ID=${key.accessKeyId}\n  AWS_SECRET_ACCESS_KEY=${secretKey}\n`
}

function keyText(key: AccessKey, flags: Flags, notes: readonly string[] = []): string {
  if (flags.json === true) return json({ ...jsonOf(key), notes })
  return [rowOf({ key }).join('  '), ...notes.map((note) => `Note: ${note}`), ''].join('\n')
}

/** Notes about input that was accepted but may be a mistake. */
async function notesOf(key: AccessKey, flags: Flags, bucketNames: BucketNames): Promise<string[]> {
  const names = await bucketNames()
  const unknown = unknownBuckets(key.grants, (bucket) => names.has(bucket))
  const expires = textOf(flags.expires)
  const moment = expires === undefined ? undefined : momentNote('expires', expires)
  return [
    ...unknown.map(
      (bucket) => `There is no bucket ${bucket}. Its grant has no effect until it is created.`,
    ),
    ...(moment === undefined ? [] : [moment]),
  ]
}

function listText(keys: readonly ListedKey[], isJson: boolean): string {
  if (isJson) return keys.map(({ key, problem }) => json({ ...jsonOf(key), problem })).join('')
  const rows = [
    ['ACCESS KEY ID', 'NAME', 'GRANTS', 'LAST USED', 'STATE'],
    ...keys.map((listed) => rowOf(listed)),
  ]
  const widths = [0, 1, 2, 3].map((column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  )
  return rows
    .map(
      (row) =>
        `${row
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('')
}

function rowOf({ key, problem }: ListedKey): string[] {
  const { accessKeyId, name, grants, lastUsedAtMs } = key
  const used = lastUsedAtMs === undefined ? 'never' : dateOf(lastUsedAtMs)
  return [accessKeyId, name, grants.map(grantText).join(' '), used, problem ?? stateOf(key)]
}

function stateOf({ isDisabled, expiresAtMs, oldSecretUntilMs }: AccessKey): string {
  const nowMs = Date.now()
  if (isDisabled) return 'disabled'
  if (expiresAtMs !== undefined && expiresAtMs <= nowMs) return `expired ${dateOf(expiresAtMs)}`
  const state = expiresAtMs === undefined ? 'active' : `active until ${dateOf(expiresAtMs)}`
  if (oldSecretUntilMs === undefined || oldSecretUntilMs <= nowMs) return state
  return `${state}, old secret until ${dateOf(oldSecretUntilMs)}`
}

function jsonOf({ createdAtMs, expiresAtMs, lastUsedAtMs, oldSecretUntilMs, ...key }: AccessKey) {
  return {
    ...key,
    createdAt: new Date(createdAtMs).toISOString(),
    expiresAt: timeOrNull(expiresAtMs),
    lastUsedAt: timeOrNull(lastUsedAtMs),
    oldSecretUntil: timeOrNull(oldSecretUntilMs),
  }
}

function timeOrNull(atMs: number | undefined): string | null {
  return atMs === undefined ? null : new Date(atMs).toISOString()
}

/** To the minute, in UTC. */
function dateOf(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 16).replace('T', ' ')}Z`
}

/** The environment and the command line that determine the settings. */
interface KeysOptions {
  readonly environment: Environment
  /** ALLOWED_BUCKETS from the command line. */
  readonly buckets: string | undefined
}

/**
 * Runs `work` on the access keys of the gateway that the settings describe. The gateway may be running.
 *
 * @throws SettingsError or DatabaseError with a user-facing message; any error of `work`.
 */
async function withKeyAdmin<Result>(
  { environment, buckets }: KeysOptions,
  work: (admin: KeyAdmin, bucketNames: () => Promise<ReadonlySet<string>>) => Promise<Result>,
): Promise<Result> {
  const settings = await readSettings(withBuckets(await settingsOfGateway(environment), buckets))
  requireExistingDatabase(settings)
  const database = await openDatabase(settings.database, {
    migrate: false,
    connections: settings.databasePool,
  })
  try {
    const admin = new KeyAdmin({
      table: new AccessKeyTable(database),
      sealer: createSealer(settings.secretKey, 'accessKeys'),
      ...{ ownerKeyId: settings.accessKey, isBucketName, now: Date.now },
      // A running gateway finds the changes by itself.
      onChange: async () => undefined,
    })
    return await work(admin, () => bucketNames(settings, database))
  } finally {
    await database.close()
  }
}
