import { randomBytes } from 'node:crypto'
import type { ObjectName, WriteConditions } from '../../drive.ts'
import { DriveError } from '../../drive-error.ts'
import { assertConditions } from '../../write-conditions.ts'
import type { StoreContext } from '../probe/probe.ts'
import type { NativeConditions, StoreAbility } from '../requests/store-abilities.ts'
import { isUnclear } from '../requests/store-errors.ts'
import { headOf, type StoreObject } from './heads.ts'

/** The abilities that each kind of write needs for its conditions. */
export interface NeededAbilities {
  readonly create: StoreAbility
  readonly replace: StoreAbility
}

/** How often a write or a removal is tried while others write the same key. */
export const maxAttempts = 5

export interface Write<Result> {
  readonly target: ObjectName
  readonly conditions: WriteConditions | undefined
  readonly needs: NeededAbilities
  /** Without conditions, it fails if the object was written since `send` was called, if the store can tell. */
  readonly isPinned?: boolean
  /** Sends the request. */
  send(native: NativeConditions): Promise<Result>
  /** The result, if the object that is there now is the one that `send` was to write. */
  resultOf(found: StoreObject | undefined): Result | undefined
  /** The conditions that `send` was begun with: then it cannot be called again. */
  readonly begun?: NativeConditions | undefined
}

/** A value that only one write has. */
export function newMark(): string {
  return randomBytes(16).toString('base64url')
}

/**
 * A write under any conditions, of which the store checks those it has: what it sees is pinned by If-Match or
 * If-None-Match, and looked at again if it has changed. A lost reply is resolved by looking.
 *
 * @throws DriveError `condition`, `not-found`, `not-implemented`, `busy` or what `send` rejects with
 */
export async function conditionalWrite<Result>(
  context: StoreContext,
  write: Write<Result>,
): Promise<Result> {
  const { target, conditions } = write
  for (let attempt = 1; ; attempt += 1) {
    const native = write.begun ?? (await conditionsFor(context, write))
    try {
      return await write.send(native)
    } catch (error) {
      const found = await foundAfter(context, target, error)
      const result = write.resultOf(found)
      if (result !== undefined) return result
      if (!isConditionFailure(error)) throw error
      assertConditions(target, found?.attributes.etag, conditions)
      if (write.begun !== undefined || attempt === maxAttempts) throw changing(target, error)
    }
  }
}

/** The object that is there. @throws the error, if the write has certainly failed, or nothing can be seen */
async function foundAfter(
  context: StoreContext,
  target: ObjectName,
  error: unknown,
): Promise<StoreObject | undefined> {
  if (!isConditionFailure(error) && !isGone(error) && !isUnclear(error)) throw error
  return await headOf(context, target).catch(() => {
    throw error
  })
}

async function conditionsFor(
  context: StoreContext,
  { target, conditions, needs, isPinned }: Omit<Write<unknown>, 'resultOf'>,
): Promise<NativeConditions> {
  return isPinned && !isConditional(conditions)
    ? await pinned(context, target, needs)
    : await nativeConditions(context, target, conditions, needs)
}

/**
 * The store's conditions for these. Those that it does not have are checked against the object that is there, which is
 * then pinned.
 */
export async function nativeConditions(
  context: StoreContext,
  target: ObjectName,
  conditions: WriteConditions | undefined,
  needs: NeededAbilities,
): Promise<NativeConditions> {
  if (!isConditional(conditions)) return {}
  const { ifMatch, ifNoneMatch } = conditions ?? {}
  const { bucket } = target
  if (ifMatch === undefined && ifNoneMatch === '*') {
    await context.probe.require(bucket, needs.create)
    return { IfNoneMatch: '*' }
  }
  const [only, ...others] = ifMatch === undefined || ifMatch === '*' ? [] : ifMatch
  if (only !== undefined && others.length === 0 && ifNoneMatch === undefined) {
    await context.probe.require(bucket, needs.replace)
    return { IfMatch: `"${only}"` }
  }
  const found = await headOf(context, target)
  assertConditions(target, found?.attributes.etag, conditions)
  await context.probe.require(bucket, found === undefined ? needs.create : needs.replace)
  return pinOf(found)
}

/** Nothing, if the store does not have both conditions. */
async function pinned(
  context: StoreContext,
  target: ObjectName,
  { create, replace }: NeededAbilities,
): Promise<NativeConditions> {
  const abilities = await context.probe.abilities(target.bucket)
  return abilities[create] && abilities[replace] ? pinOf(await headOf(context, target)) : {}
}

function pinOf(found: StoreObject | undefined): NativeConditions {
  return found === undefined ? { IfNoneMatch: '*' } : { IfMatch: `"${found.attributes.etag}"` }
}

function isConditional({ ifMatch, ifNoneMatch }: WriteConditions = {}): boolean {
  return ifMatch !== undefined || ifNoneMatch !== undefined
}

/** Also if there is no object for If-Match. */
export function isConditionFailure(error: unknown): boolean {
  return error instanceof DriveError && ['condition', 'not-found'].includes(error.kind)
}

/** As a repeated Complete of an upload that the first attempt has completed. */
function isGone(error: unknown): boolean {
  return error instanceof DriveError && error.kind === 'upload-gone'
}

export function changing({ bucket, key }: ObjectName, cause?: unknown): DriveError {
  const message = `${bucket}/${key} is being written by others. Send the request again.`
  return new DriveError('busy', message, { cause })
}
