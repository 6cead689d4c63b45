import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { shareOf } from '../support/test-groups.ts'
import type { Scope } from '../support/webdav/server-process.ts'
import { lastFirst, suiteScope } from '../support/webdav/suite-scope.ts'
import type { FaultWorld, Step } from './fault-world.ts'
import { observe, observeVersions } from './observe.ts'
import { type Operation, putCall } from './operations.ts'
import { isSuccess } from './s3-caller.ts'
import { type Version, wholeVersion } from './version.ts'

export interface FaultRun {
  /** Every fault by name. */
  readonly faults: readonly string[]
  /**
   * Rows of faults that leave the server in the same state and that one table of the drive gives the same
   * meaning. The requests of an operation get them in turn.
   */
  readonly equalFaults: readonly (readonly string[])[]
  readonly operations: readonly Operation[]
  /** Opens a new world, which is closed with `scope`. */
  open(scope: Scope): Promise<FaultWorld>
}

/** Concurrent worlds: a case mostly waits for pauses and disks. */
const lanes = 4
/** A push runs one of so many cases. Odd: both kinds of what a client does next stay. */
const pushed = 5
const later = wholeVersion('later')

/**
 * Injects every fault at every request of every operation. After each, no object is wrong, torn or
 * duplicated, no acknowledged object is lost, and the client's next attempt succeeds.
 */
export function declareFaultRun(run: FaultRun): void {
  const scope = suiteScope()
  let worlds: readonly FaultWorld[] = []
  before(async () => {
    // Starting servers and gateways takes longer than the cases of one operation.
    const opening = Array.from({ length: lanes }, () => run.open(lastFirst(scope)))
    worlds = await Promise.all(opening)
  })
  for (const operation of run.operations) {
    test(`${operation.name} survives every fault at every request`, async (t) => {
      await Promise.all(worlds.map(putAnchor))
      const [first] = worlds
      assert.ok(first)
      const cases = shareOf(await casesOf(first, operation, run), pushed)
      const outcomes = await Promise.all(worlds.map((world, lane) => runLane(world, lane, cases)))
      const failures = outcomes.flatMap((outcome) => outcome.failures)
      const struck = outcomes.reduce((sum, outcome) => sum + outcome.struck, 0)
      t.diagnostic(`${struck} faults struck in ${cases.length} cases`)
      assert.deepEqual(failures, [])
      // A repeated operation may need fewer requests, but that must be the exception.
      assert.ok(struck > cases.length * 0.9, `${struck} of ${cases.length} faults struck`)
    })
  }
}

/** The keys of the cases are in an existing folder, unless the operation must create one. */
const folder = 'folder'

/** Keeps the folder from being empty. Faults of the last operation may have removed both. */
async function putAnchor({ s3 }: FaultWorld): Promise<void> {
  assert.ok(isSuccess(await s3.send(putCall(`${folder}/anchor`, later))))
}

interface FaultCase {
  readonly operation: Operation
  readonly fault: string
  readonly step: Step
  /** Of the step. */
  readonly index: number
  readonly key: string
  /** Whether the client repeats the operation, or does something else next. */
  readonly isRepeated: boolean
}

/** The requests of the operation without faults, each with every fault that applies. */
async function casesOf(
  world: FaultWorld,
  operation: Operation,
  { faults, equalFaults }: FaultRun,
): Promise<FaultCase[]> {
  // Cases of other operations in the same world use other keys.
  const keyOf = (name: string) =>
    `${operation.isInNewFolder ? name : folder}/${operation.name}, ${name}`
  // The first run needs more requests than any case.
  await runWithoutFault(world, operation, keyOf('the first'))
  const steps = await runWithoutFault(world, operation, keyOf('the second'))
  const isTurnOf = (fault: string, index: number) => {
    const equals = equalFaults.find((row) => row.includes(fault)) ?? [fault]
    return equals[index % equals.length] === fault
  }
  const cases = faults.flatMap((fault) =>
    steps.flatMap((step, index) =>
      isTurnOf(fault, index) && world.faultsFor(step).includes(fault)
        ? [{ operation, fault, step, index }]
        : [],
    ),
  )
  return cases.map((one, number) => ({
    ...one,
    key: keyOf(`case ${number}`),
    isRepeated: number % 2 === 0,
  }))
}

async function runWithoutFault(world: FaultWorld, operation: Operation, key: string) {
  await prepare(world, operation, key)
  const steps = await world.record(async () => {
    assert.ok(await operation.run(world.s3, key), 'without a fault')
  })
  await observe(world, { key, allowed: [operation.after] })
  return steps
}

interface LaneOutcome {
  readonly failures: readonly string[]
  readonly struck: number
}

async function runLane(
  world: FaultWorld,
  lane: number,
  cases: readonly FaultCase[],
): Promise<LaneOutcome> {
  const failures: string[] = []
  let struck = 0
  const [first] = cases
  if (first !== undefined)
    await runWithoutFault(world, first.operation, `${folder}/${first.operation.name}, lane ${lane}`)
  for (const one of cases.filter((_, number) => number % lanes === lane)) {
    const { fault, index, step } = one
    try {
      if (await hasStruck(world, one)) struck++
    } catch (error) {
      const what = error instanceof Error ? error.message : String(error)
      failures.push(`"${fault}" at request ${index + 1}, ${step.method} ${step.path}: ${what}`)
      world.settle()
    }
  }
  return { failures, struck }
}

/** Runs the case, and returns whether its fault occurred. */
async function hasStruck(world: FaultWorld, one: FaultCase): Promise<boolean> {
  const { operation, fault, index, key, isRepeated } = one
  const { before, after } = operation
  await prepare(world, operation, key)
  world.order(fault, index)
  const isAcknowledged = await operation.run(world.s3, key)
  const isStruck = world.settle()
  const allowed = isAcknowledged ? [after] : [before, after]
  if (world.hasVersions) await observeVersions(world, key, { before, allowed })
  const others = world.isOfOthers(fault) ? 'before' : undefined
  if (others !== undefined) {
    await world.catchUp?.()
    await observe(world, { key, allowed: [undefined, ...allowed], others: 'now' })
  } else {
    await observeAtOnce(world, key, allowed)
  }
  if (isRepeated) {
    await operation.prepare?.(world.s3)
    assert.ok(await isDoneAtLast(() => operation.run(world.s3, key)), 'no repetition succeeds')
    await observe(world, { key, allowed: [after], others })
  } else {
    // An operation with an unknown outcome must not undo the next write.
    const answer = await world.s3.sendUntil(isSuccess, putCall(key, later))
    assert.ok(isSuccess(answer), `PutObject afterwards: ${answer.status} ${answer.body}`)
    await observe(world, { key, allowed: [later], others })
  }
  await world.s3.send({ method: 'DELETE', key })
  return isStruck
}

/**
 * The same must be visible after the drive has read its server again. Only then must a drive with
 * an index match its server.
 */
async function observeAtOnce(
  world: FaultWorld,
  key: string,
  allowed: readonly (Version | undefined)[],
): Promise<void> {
  if (world.catchUp !== undefined) {
    await observe(world, { key, allowed, others: 'before' })
    await world.catchUp()
  }
  await observe(world, { key, allowed })
}

async function prepare({ s3 }: FaultWorld, operation: Operation, key: string): Promise<void> {
  await operation.prepare?.(s3)
  const { before } = operation
  if (before !== undefined) assert.ok(isSuccess(await s3.send(putCall(key, before))), 'before')
}

async function isDoneAtLast(run: () => Promise<boolean>): Promise<boolean> {
  for (let attempt = 0; attempt < 5; attempt++) {
    if (await run()) return true
  }
  return false
}
