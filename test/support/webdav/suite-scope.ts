import { after } from 'node:test'
import type { Scope } from './server-process.ts'

/**
 * The scope of all tests of a `describe`, or of a file: call it there, and start things with it in
 * `before`.
 */
export function suiteScope(): Scope {
  return lastFirst({
    after,
    skip: (reason) => {
      throw new Error(`a suite has to be skipped where it is declared: ${reason}`)
    },
  })
}

/** The same scope, but what began last ends first. */
export function lastFirst(scope: Scope): Scope {
  const ends: (() => unknown)[] = []
  scope.after(async () => {
    for (const end of ends.reverse()) await end()
  })
  return { after: (end) => ends.push(end), skip: (reason) => scope.skip(reason) }
}
