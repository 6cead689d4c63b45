/**
 * Limits how often a message is logged. The function it returns calls `say` at most once in
 * `everyMs`, with the number of calls since the last time, this one included.
 */
export function sparingly(
  everyMs: number,
  say: (calls: number) => void,
  now: () => number = () => performance.now(),
): () => void {
  let calls = 0
  let saidAtMs = Number.NEGATIVE_INFINITY
  return () => {
    calls += 1
    if (now() - saidAtMs < everyMs) return
    saidAtMs = now()
    say(calls)
    calls = 0
  }
}
