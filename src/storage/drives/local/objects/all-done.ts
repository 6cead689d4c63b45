/**
 * Waits until all have settled, then throws the first error, if any. Unlike Promise.all, it leaves none
 * running, perhaps on a descriptor that the caller closes next.
 */
export async function allDone(work: Iterable<Promise<unknown> | undefined>): Promise<void> {
  for (const result of await Promise.allSettled(work)) {
    if (result.status === 'rejected') throw result.reason
  }
}
