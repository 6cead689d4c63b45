import type { AttributeChange, Attributes, LockRules, Retention } from './attributes.ts'
import { DriveError } from './drive-error.ts'

/**
 * The attributes after a change in place. Call it while nobody else can change them.
 *
 * @throws DriveError `locked` if the change would shorten a retention that is still in effect, or change its mode
 */
export function changedAttributes(before: Attributes, change: AttributeChange): Attributes {
  const { tags, retention, legalHold, isPrivate, lock } = change
  if (retention !== undefined) assertMayReplace(before.retention, retention, lock)
  const after = {
    ...before,
    ...(tags !== undefined && { tags: Object.keys(tags).length > 0 ? tags : undefined }),
    ...(retention !== undefined && { retention: retention ?? undefined }),
    ...(legalHold !== undefined && { legalHold }),
    ...(isPrivate !== undefined && { isPrivate: isPrivate || undefined }),
  }
  const present = Object.entries(after).filter(([, value]) => value !== undefined)
  return Object.fromEntries(present) as unknown as Attributes
}

/**
 * Call it before a version is removed permanently, while nobody else can change its attributes
 * (https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-lock.html).
 *
 * @throws DriveError `locked`
 */
export function assertUnlocked(
  { retention, legalHold }: Pick<Attributes, 'retention' | 'legalHold'>,
  lock: LockRules | undefined,
): void {
  if (legalHold) {
    throw new DriveError('locked', 'The version has a legal hold. Remove the hold first.')
  }
  if (retention !== undefined && isInEffect(retention, lock)) throw lockedUntil(retention)
}

/** A retention may always be extended. Another mode is an alteration, also a stricter one, as on AWS. */
function assertMayReplace(
  before: Retention | undefined,
  after: Retention | null,
  lock: LockRules | undefined,
): void {
  if (before === undefined || !isInEffect(before, lock)) return
  if (after?.mode !== before.mode || after.untilMs < before.untilMs) throw lockedUntil(before)
}

function isInEffect({ mode, untilMs }: Retention, lock: LockRules | undefined): boolean {
  if (lock === undefined) return true
  return untilMs > lock.nowMs && !(mode === 'GOVERNANCE' && lock.bypassesGovernance === true)
}

function lockedUntil({ mode, untilMs }: Retention): DriveError {
  const message = `The version is locked until ${new Date(untilMs).toISOString()} (mode ${mode}).`
  return new DriveError('locked', message)
}
