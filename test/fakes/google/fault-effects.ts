import type { Call, Reply } from './call.ts'
import { type BodyFault, type BodyPlace, DroppedConnection } from './call-body.ts'
import { type CallKind, callKinds } from './call-kinds.ts'
import type { FileRecord } from './file-record.ts'
import { type ErrorDetails, GoogleError, type Reason } from './google-error.ts'
import { htmlRefusal } from './raw-refusal.ts'

/** A fault to inject. */
export interface FaultRule {
  /** The kind of call that it affects. */
  readonly on: CallKind | readonly CallKind[] | 'any'
  readonly do: FaultName
  /** How many calls of the kind pass first. */
  readonly after?: number
  /** How many calls it affects. Default: 1. */
  readonly times?: number
  /** The position in the body (default: the middle), or the speed. */
  readonly bytes?: number
  /** For `run` and `run-after-commit`: called before or after the call takes effect. */
  readonly run?: (call: Call) => void | Promise<void>
}

/** What a fault does at the stages of a call. */
export interface FaultEffect {
  readonly body?: BodyFault
  /** Called when the body was cut. */
  readonly onCut?: (call: Call) => void
  /** Called before the call is handled. It may throw a refusal or a DroppedConnection. */
  readonly before?: (call: Call) => void | Promise<void>
  /** Called after the call has taken effect. */
  readonly after?: (call: Call, reply: Reply) => void | Promise<void>
  readonly reply?: ReplyFault
}

export interface ReplyFault {
  /** Closes the connection after this many bytes of the reply's body, or at its end. */
  readonly cutAfterBytes?: BodyPlace
  /** Flips one bit. */
  readonly isDamaged?: boolean
  readonly bytesPerSecond?: number
}

interface FaultKind {
  /** The kinds of calls that it applies to. */
  readonly on: readonly CallKind[]
  readonly effect: (rule: FaultRule) => FaultEffect
}

const apiKinds = callKinds.filter((kind) => kind !== 'token')
const sessionKinds = ['chunk', 'lastChunk', 'query'] as const
const chunkKinds = ['chunk', 'lastChunk'] as const
const bodyKinds = ['multipart', 'media', ...chunkKinds] as const
const writingKinds = [...bodyKinds, 'create', 'update', 'copy'] as const
const creatingKinds = ['create', 'multipart', 'media', 'lastChunk', 'copy'] as const
const targetKinds = [
  ...sessionKinds,
  'get',
  'download',
  'update',
  'copy',
  'delete',
  'init',
] as const

/**
 * All faults by name. `persist-prefix-then-drop` and `drop-mid-body` are equal for calls that store
 * nothing of an interrupted body.
 */
export const faultEffects = {
  // The connection.
  'drop-before': { on: callKinds, effect: () => ({ before: drop }) },
  'drop-after-commit': { on: callKinds, effect: () => ({ after: drop }) },
  'persist-prefix-then-drop': {
    on: bodyKinds,
    effect: (rule) => ({ body: { cutAfterBytes: placeOf(rule) } }),
  },
  'drop-mid-reply': {
    on: callKinds,
    effect: (rule) => ({ reply: { cutAfterBytes: placeOf(rule) } }),
  },
  'truncate-download': {
    on: ['download'],
    effect: (rule) => ({ reply: { cutAfterBytes: placeOf(rule) } }),
  },
  'slow-body': {
    on: bodyKinds,
    effect: ({ bytes = 1_000_000 }) => ({ body: { bytesPerSecond: bytes } }),
  },
  'slow-download': {
    on: ['download'],
    effect: ({ bytes = 1_000_000 }) => ({ reply: { bytesPerSecond: bytes } }),
  },
  // Bytes.
  'persist-less': {
    on: chunkKinds,
    effect: (rule) => ({ body: { keepBytes: placeOf(rule) } }),
  },
  'persist-nothing': { on: chunkKinds, effect: () => ({ body: { keepBytes: 0 } }) },
  'damage-upload': { on: bodyKinds, effect: () => ({ body: { isDamaged: true } }) },
  'damage-download': { on: ['download'], effect: () => ({ reply: { isDamaged: true } }) },
  // Credentials.
  'expired-token': {
    on: apiKinds,
    effect: () => ({
      before: (call) => {
        expireTokenOf(call)
        throw unauthorised()
      },
    }),
  },
  'expired-token-mid-body': {
    on: bodyKinds,
    effect: (rule) => ({
      body: { cutAfterBytes: placeOf(rule), cutWith: unauthorised() },
      onCut: expireTokenOf,
    }),
  },
  // Rates and servers.
  'rate-403-user': { on: apiKinds, effect: refuse('userRateLimitExceeded') },
  'rate-403-project': { on: apiKinds, effect: refuse('rateLimitExceeded') },
  'rate-429': { on: callKinds, effect: refuse('tooManyRequests') },
  'rate-429-retry-after': {
    on: callKinds,
    effect: refuse('tooManyRequests', { headers: { 'retry-after': '1' } }),
  },
  'server-500': { on: callKinds, effect: refuse('internalError') },
  'server-502-html': { on: callKinds, effect: () => ({ before: () => fail(htmlRefusal(502)) }) },
  'server-503': { on: callKinds, effect: refuse('backendError') },
  'server-503-mid-body': {
    on: bodyKinds,
    effect: (rule) => ({
      body: { cutAfterBytes: placeOf(rule), cutWith: new GoogleError('backendError') },
    }),
  },
  'server-503-after-commit': {
    on: writingKinds,
    effect: () => ({ after: () => fail(new GoogleError('backendError')) }),
  },
  // For good.
  'daily-limit': { on: apiKinds, effect: refuse('dailyLimitExceeded') },
  'storage-full': { on: writingKinds, effect: refuse('storageQuotaExceeded') },
  denied: { on: apiKinds, effect: refuse('insufficientFilePermissions') },
  'session-gone': {
    on: sessionKinds,
    effect: () => ({ before: ({ account, id }) => account.sessions.forget(id) }),
  },
  // Other people.
  'target-deleted': {
    on: targetKinds,
    effect: () => ({
      before: (call) => withTarget(call, ({ id }) => call.account.files.remove(id)),
    }),
  },
  'target-trashed': {
    on: targetKinds,
    effect: () => ({
      before: (call) => withTarget(call, (target) => trash(call, target)),
    }),
  },
  'parent-deleted': {
    on: [...targetKinds, 'create', 'multipart'],
    effect: () => ({
      before: (call) => withParent(call, ({ id }) => call.account.files.remove(id)),
    }),
  },
  'parent-trashed': {
    on: [...targetKinds, 'create', 'multipart'],
    effect: () => ({ before: (call) => withParent(call, (parent) => trash(call, parent)) }),
  },
  duplicate: { on: creatingKinds, effect: () => ({ after: addTwin }) },
  run: {
    on: callKinds,
    effect: ({ run }) => ({ before: async (call) => await run?.(call) }),
  },
  'run-after-commit': {
    on: callKinds,
    effect: ({ run }) => ({ after: async (call) => await run?.(call) }),
  },
} as const satisfies Readonly<Record<string, FaultKind>>

export type FaultName = keyof typeof faultEffects

/** Every fault with the kinds of calls that it applies to, for runs through all of them. */
export const faultKinds: Readonly<Record<FaultName, readonly CallKind[]>> = Object.fromEntries(
  Object.entries(faultEffects).map(([name, { on }]) => [name, on]),
) as Record<FaultName, readonly CallKind[]>

/** The position of a fault in a body. Default: the middle. */
function placeOf({ bytes }: FaultRule): BodyPlace {
  return bytes ?? 'half'
}

function refuse(reason: Reason, details: ErrorDetails = {}): () => FaultEffect {
  return () => ({ before: () => fail(new GoogleError(reason, details)) })
}

function fail(error: Error): never {
  throw error
}

function drop(): never {
  throw new DroppedConnection()
}

function unauthorised(): GoogleError {
  return new GoogleError('authError', { location: 'Authorization', locationType: 'header' })
}

function expireTokenOf({ account, headers }: Call): void {
  account.desk.expireToken((headers.authorization ?? '').replace(/^Bearer /i, ''))
}

/** The file of a call or its session. */
function withTarget({ account, id }: Call, act: (target: FileRecord) => void): void {
  const [fileId = ''] = id.split('/')
  const target = account.files.get(account.sessions.get(id)?.target.fileId ?? fileId)
  if (target?.parent !== undefined) act(target)
}

/** The folder of a call or its session; never a root. */
function withParent(call: Call, act: (parent: FileRecord) => void): void {
  const { account, id } = call
  const target = account.sessions.get(id)?.target
  const fileId = target?.fileId ?? id.split('/')[0] ?? ''
  const parentId = target?.metadata.parents?.[0] ?? account.files.get(fileId)?.parent ?? ''
  const parent = account.files.get(parentId)
  if (parent?.parent !== undefined) act(parent)
}

function trash({ account }: Call, record: FileRecord): void {
  account.files.put({ ...record, isTrashed: true })
}

/** Another client creates a second file of the same name. */
function addTwin({ account }: Call, { record }: Reply): void {
  if (record === undefined) return
  const { files } = account
  files.put({ ...record, id: files.newId(), appProperties: {} })
}
