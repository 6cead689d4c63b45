import { randomBytes } from 'node:crypto'
import type { ObjectName, WriteConditions } from '../../drive.ts'
import { DriveError } from '../../drive-error.ts'
import { assertConditions } from '../../write-conditions.ts'
import type { StoreContext } from '../probe/probe.ts'
import type { NativeConditions, StoreAbility } from '../requests/store-abilities.ts'
import { isUnclear } from '../requests/store-errors.ts'
import { headOf, type StoreObject } from './heads.ts'

/** The abilities that a kind of write needs for its conditions. */
export interface NeededAbilities {
  readonly create: StoreAbility
  readonly replace: StoreAbility
}

/** Attempts at a write or removal while others write the same key. */
export const maxAttempts = 5

export interface Write<Result> {
  readonly target: ObjectName
  readonly conditions: WriteConditions | undefined
  readonly needs: NeededAbilities
  /** Without conditions, the write fails if the object was written since `send` was called, provided that the store can check it. */
  readonly isPinned?: boolean
  send(native: NativeConditions): Promise<Result>
  /** The result, if `send` wrote the object that exists now. */
  resultOf(found: StoreObject | undefined): Result | undefined
  /** The conditions of a request that is already being sent: `send` cannot be called again. */
  readonly begun?: NativeConditions | undefined
}

/** A unique value for one write. */
export function newMark(): string {
  return randomBytes(16).toString('base64url')
}

/**
 * A write under any conditions. Conditions that the store does not have are checked here, against an object that is then
 * pinned with If-Match or If-None-Match; if it has changed meanwhile, they are checked again. After a lost reply, the
 * object shows whether the write succeeded.
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

/** The object after a failed write. @throws the error, if the write certainly failed or the object can't be read */
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

/** The store's conditions for these. Others are checked against the current object, which is then pinned. */
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

/** No conditions, if the store lacks one of the two. */
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

/** Includes a missing object for If-Match. */
export function isConditionFailure(error: unknown): boolean {
  return error instanceof DriveError && ['condition', 'not-found'].includes(error.kind)
}

/** Such as a repeated Complete of an upload that the first attempt completed. */
function isGone(error: unknown): boolean {
  return error instanceof DriveError && error.kind === 'upload-gone'
}

export function changing({ bucket, key }: ObjectName, cause?: unknown): DriveError {
  const message = `${bucket}/${key} is being written by other clients. Send the request again.`
  return new DriveError('busy', message, { cause })
}
