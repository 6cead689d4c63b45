import { existsSync } from 'node:fs'

/** Of Debian's package faketime. */
const libraries = ['x86_64', 'aarch64'].map(
  (machine) => `/usr/lib/${machine}-linux-gnu/faketime/libfaketime.so.1`,
)
const library = libraries.find((path) => existsSync(path))

/** Why a process cannot have a wrong clock here; false if it can. */
export const absenceOfWrongClock = library === undefined && "needs Debian's package faketime"

/**
 * The environment of a process whose clock is wrong. Its timers and its monotonic clock stay right, as when a
 * machine's clock is set.
 *
 * @param difference such as `+60s`
 */
export function wrongClock(difference: string): Readonly<Record<string, string>> {
  return {
    LD_PRELOAD: library ?? '',
    FAKETIME: difference,
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  }
}
