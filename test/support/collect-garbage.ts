import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Frees the memory of what nothing refers to, so that what is measured does not depend on when V8 would have done it. */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  // What the first one finds, the second one has freed.
  collect()
  collect()
}
