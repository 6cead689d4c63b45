import { after } from 'node:test'
import type { Scope } from './server-process.ts'

/**
 * The scope of all tests of a `describe`, or of a file: call it there, and start things with it in
 * `before`. What began last ends first.
 */
export function suiteScope(): Scope {
  const ends: (() => unknown)[] = []
  after(async () => {
    for (const end of ends.reverse()) await end()
  })
  return {
    after: (end) => ends.push(end),
    skip: (reason) => {
      throw new Error(`a suite has to be skipped where it is declared: ${reason}`)
    },
  }
}
