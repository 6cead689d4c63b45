/**
 * Waits for all to end, then throws the first error if there is one. Unlike Promise.all it never
 * leaves one running, perhaps on a descriptor that the caller closes next.
 */
export async function allDone(work: Iterable<Promise<unknown> | undefined>): Promise<void> {
  for (const result of await Promise.allSettled(work)) {
    if (result.status === 'rejected') throw result.reason
  }
}
