/** The fields that order connections. Stored values may be invalid. */
interface Ranked {
  readonly priority?: unknown
  readonly createdAtMs?: unknown
}

/** For a stable sort: docs/contract/model-list.md, "Order of connections". */
export function byPriority(a: Ranked, b: Ranked): number {
  const difference = inOrder(a.priority, b.priority)
  return difference === 0 ? inOrder(a.createdAtMs, b.createdAtMs) : difference
}

/** Numbers ascending, everything else after them. */
function inOrder(a: unknown, b: unknown): number {
  const [first, second] = [rankOf(a), rankOf(b)]
  if (first === second) return 0
  return first < second ? -1 : 1
}

function rankOf(value: unknown): number {
  return typeof value === 'number' && !Number.isNaN(value) ? value : Number.POSITIVE_INFINITY
}
